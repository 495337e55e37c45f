#include "engine/communication/network_backend.h"

#include <fmt/format.h>

#include <cassert>

#include "engine/communication/group_options.h"
#include "engine/network/transport/direct_move.h"
#include "sim/ccl/choice/cpu_choice.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

bool is_done(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
      return true;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
    case CollectiveKind::all_to_all:
      return false;
  }
  return false;
}

DelegateKind kind_of(Payload payload) {
  return payload == Payload::activation ? DelegateKind::forward : DelegateKind::backward;
}

// The executor's tags have the micro-batch in their lower half (Walker::tag): delegate m mod D has
// micro-batch m, as in the program's lanes.
std::uint64_t micro_batch_in(std::uint64_t tag) {
  return tag & 0xffffffff;
}

}  // namespace

Result<std::unique_ptr<NetworkBackend>> NetworkBackend::make(const Program& program, const Ccl& ccl,
                                                             Transport& transport,
                                                             const NetworkBackendOptions& options) {
  const int world = world_size(program.grid);
  if (world != transport.world())
    return Error{"program",
                 fmt::format("is for {} ranks; the job has {}", world, transport.world())};
  if (!options.seats.empty() && options.seats.size() != static_cast<std::size_t>(world))
    return Error{"seats", fmt::format("{} of {} ranks", options.seats.size(), world)};
  std::unique_ptr<NetworkBackend> made(new NetworkBackend(ccl, transport, options));
  for (std::size_t index = 0; index < program.communicators.size(); ++index) {
    const quintet::Communicator& communicator = program.communicators[index];
    Group& group = made->groups_.emplace_back();
    group.name = communicator.name;
    const std::vector<Rank> members = group_of(program.grid, communicator, transport.rank());
    if (members.empty()) continue;
    group.axis = communicator.parts.front().axis;
    group.layout = layout_of(members, options.seats);
    Result<std::unique_ptr<RankGroup>> ranks = RankGroup::make(
        transport,
        group_options(id_at<CommunicatorId>(index), communicator, members, group.layout));
    if (!ranks) return ranks.error();
    group.ranks = *std::move(ranks);
  }
  return made;
}

NetworkBackend::~NetworkBackend() = default;

Result<Operation> NetworkBackend::started(const CollectiveCall& call) {
  const Group& group = groups_[call.communicator.index()];
  const std::string where = "communicator \"" + group.name + "\"";
  if (!group.ranks)
    return Error{where, fmt::format("rank {} is no member", transport_.rank().value)};
  if (!is_done(call.kind))
    return Error{where, std::string(name_of(call.kind)) + " is not executed"};
  CollectiveCall here = call;
  const CollectiveRule rule = rule_for(ccl_, call.kind, group.axis);
  here.algorithm = cpu_algorithm(call.kind, rule.algorithm, group.layout);
  here.within = options_.within;
  return group.ranks->start(here);
}

Ticket NetworkBackend::keep(Operation operation) {
  under_way_.emplace(++last_ticket_, std::move(operation));
  return {last_ticket_};
}

Ticket NetworkBackend::start(const CollectiveCall& call) {
  if (failure_) return {++last_ticket_};
  Result<Operation> operation = started(call);
  if (operation) return keep(*std::move(operation));
  abort(operation.error());
  return {++last_ticket_};
}

Ticket NetworkBackend::send(const SendWork& work) {
  const std::uint64_t label = label_of(work.payload, work.tag);
  assert(label >> message_tag_bits == 0);
  if (failure_) return {++last_ticket_};
  return keep(transport_.start_delegated(
      DelegateDirection::out, kind_of(work.payload), micro_batch_in(work.tag), work.to,
      std::make_unique<DirectMove>(work.to, message_tag(transport_.rank(), label), work.message),
      options_.within));
}

Ticket NetworkBackend::receive(const ReceiveWork& work) {
  const std::uint64_t label = label_of(work.payload, work.tag);
  assert(label >> message_tag_bits == 0);
  if (failure_) return {++last_ticket_};
  return keep(transport_.start_delegated(
      DelegateDirection::in, kind_of(work.payload), micro_batch_in(work.tag), work.from,
      std::make_unique<DirectMove>(work.from, message_tag(work.from, label), work.message),
      options_.within));
}

std::vector<const Operation*> NetworkBackend::of(std::span<const Ticket> tickets) const {
  std::vector<const Operation*> operations;
  for (const Ticket ticket : tickets) {
    const auto found = under_way_.find(ticket.number);
    if (found != under_way_.end()) operations.push_back(&found->second);
  }
  return operations;
}

std::vector<Completion> NetworkBackend::take_ended(std::span<const Ticket> tickets) {
  std::vector<Completion> ended;
  for (std::size_t place = 0; place < tickets.size() && !failure_; ++place) {
    const auto found = under_way_.find(tickets[place].number);
    if (found == under_way_.end() || !found->second.ended()) continue;
    const Operation operation = std::move(found->second);
    under_way_.erase(found);
    if (operation.failure())
      fail(operation.failure()->error());
    else
      ended.push_back({place, operation.times().moving, operation.times().end});
  }
  return ended;
}

Result<std::vector<Completion>> NetworkBackend::finished(std::span<const Ticket> tickets,
                                                         Patience patience) {
  std::vector<Completion> ended = take_ended(tickets);
  if (ended.empty() && !failure_ && patience == Patience::until_one_is_over) {
    const std::vector<const Operation*> operations = of(tickets);
    assert(!operations.empty());
    Operation::wait_for_one(operations);
    ended = take_ended(tickets);
  }
  if (failure_) return *failure_;
  return ended;
}

// A failure ends all that is under way, so that their buffers are free when the caller hears of it.
void NetworkBackend::fail(const Error& error) {
  if (failure_) return;
  failure_ = error;
  under_way_.clear();
}

void NetworkBackend::abort(const Error& cause) {
  if (failure_) return;
  transport_.abort(cause.text());
  fail(Failure{transport_.rank(), cause.text()}.error());
}

}  // namespace quintet::engine
