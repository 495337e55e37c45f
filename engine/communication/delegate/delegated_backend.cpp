#include "engine/communication/delegate/delegated_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <exception>
#include <stdexcept>
#include <thread>

#include "engine/device/await_end.h"
#include "sim/program/groups.h"

namespace quintet::engine {

DelegatedBackend::DelegatedBackend(const Program& program, Rank rank, kernels::Device& device,
                                   CommunicationBackend& inner, const DelegateOptions& options)
    : program_(program),
      rank_(rank),
      device_(device),
      options_(options),
      events_(device),
      pinned_(device),
      inner_(inner),
      parts_{device_, events_, pinned_, inner_, over_} {}

DelegatedBackend::~DelegatedBackend() {
  try {
    leave();
  } catch (const std::exception&) {
    // The device is lost, and with it what ran there.
  }
}

void DelegatedBackend::leave() {
  const Clock::time_point start = Clock::now();
  for (int round = 0; sends() && !failure_; ++round) {
    if (is_overdue(start)) break;
    if (waits_for_copy()) wait_a_little(round);
    advance(waits_for_copy() || !inner_.any() ? Patience::none : Patience::until_one_is_over);
  }
  if (awaits() && !failure_)
    abort({fmt::format("rank {}", rank_.value), "left what it had begun to receive"});
  end_copies(options_.within);
  for (const auto& [callers, own] : streams_)
    for (const kernels::Stream& stream : {own.out, own.in}) device_.destroy(stream);
}

void DelegatedBackend::end_copies(std::chrono::milliseconds within) {
  for (const auto& [callers, own] : streams_)
    for (const kernels::Stream& stream : {own.out, own.in})
      await_end(device_, stream, within, "copies of messages and collectives");
}

// Whose copy the device has not come to, in words.
std::string DelegatedBackend::awaited_copy() const {
  for (const DelegatedCollective& each : collectives_)
    if (each.waits_for_copy())
      return fmt::format("a collective on communicator \"{}\"",
                         program_.communicators[each.communicator().index()].name);
  for (const auto& [key, each] : outgoing_)
    if (each.waits_for_copy()) return fmt::format("a message to rank {}", key.first);
  for (const auto& [key, each] : incoming_)
    if (each.waits_for_copy()) return fmt::format("a message from rank {}", key.first);
  return "nothing";
}

CopyStreams DelegatedBackend::streams_beside(const kernels::Stream& stream) {
  const auto found = streams_.find(stream.handle);
  if (found != streams_.end()) return found->second;
  return streams_[stream.handle] = {device_.make_stream(), device_.make_stream()};
}

GroupPlace DelegatedBackend::place_in(CommunicatorId communicator) const {
  const std::vector<Rank> group =
      group_of(program_.grid, program_.communicators[communicator.index()], rank_);
  const auto found = std::find(group.begin(), group.end(), rank_);
  assert(found != group.end());  // the program gives a rank no work of groups that it is not in
  return {static_cast<std::size_t>(found - group.begin()), group.size()};
}

template <class Route>
Route* DelegatedBackend::route(std::map<RouteKey, Route>& routes, Rank other, Payload payload) {
  const RouteKey key{other.value, payload};
  const auto found = routes.find(key);
  if (found != routes.end()) return &found->second;
  const std::size_t size = options_.chunk * static_cast<std::size_t>(options_.chunks_under_way);
  const std::span<std::byte> memory = pinned_.take(size);
  if (memory.empty()) {
    out_of_memory(size);
    return nullptr;
  }
  return &routes.emplace(key, Route(parts_, ChunkRing(memory, options_))).first->second;
}

Ticket DelegatedBackend::start(const CollectiveCall& work) {
  const Ticket ticket{++last_ticket_};
  if (failure_) return ticket;
  const std::span<std::byte> block = pinned_.take(work.buffer.size());
  if (block.empty()) {
    out_of_memory(work.buffer.size());
    return ticket;
  }
  const CopyStreams streams = streams_beside(work.stream);
  events_.order(work.stream, streams.out);
  collectives_.emplace_back(parts_, work, ticket, place_in(work.communicator), block, streams);
  return ticket;
}

Ticket DelegatedBackend::send(const SendWork& work) {
  const Ticket ticket{++last_ticket_};
  if (failure_) return ticket;
  OutgoingRoute* const to = route(outgoing_, work.to, work.payload);
  if (to == nullptr) return ticket;
  const CopyStreams streams = streams_beside(work.stream);
  events_.order(work.stream, streams.out);
  to->add(work, ticket, streams.out);
  return ticket;
}

Ticket DelegatedBackend::receive(const ReceiveWork& work) {
  const Ticket ticket{++last_ticket_};
  if (failure_) return ticket;
  IncomingRoute* const from = route(incoming_, work.from, work.payload);
  if (from == nullptr) return ticket;
  const CopyStreams streams = streams_beside(work.stream);
  events_.order(work.stream, streams.in);
  from->add(work, ticket, streams.in);
  return ticket;
}

std::optional<Error> DelegatedBackend::advance(Patience patience) {
  if (const auto wrong = inner_.ask(patience)) {
    fail(*wrong);
    return failure_;
  }
  for (auto& [key, each] : outgoing_) each.advance();
  for (auto& [key, each] : incoming_) each.advance();
  for (DelegatedCollective& each : collectives_) {
    each.advance();
    if (each.ended()) pinned_.give_back(each.block());
  }
  std::erase_if(collectives_, [](const DelegatedCollective& each) { return each.ended(); });
  return std::nullopt;
}

bool DelegatedBackend::waits_for_copy() const {
  const auto waits = [](const auto& each) { return each.second.waits_for_copy(); };
  return std::any_of(outgoing_.begin(), outgoing_.end(), waits) ||
         std::any_of(incoming_.begin(), incoming_.end(), waits) ||
         std::any_of(collectives_.begin(), collectives_.end(),
                     [](const DelegatedCollective& each) { return each.waits_for_copy(); });
}

bool DelegatedBackend::sends() const {
  return std::any_of(outgoing_.begin(), outgoing_.end(),
                     [](const auto& each) { return !each.second.empty(); });
}

bool DelegatedBackend::awaits() const {
  return std::any_of(incoming_.begin(), incoming_.end(),
                     [](const auto& each) { return !each.second.empty(); }) ||
         std::any_of(collectives_.begin(), collectives_.end(),
                     [](const DelegatedCollective& each) { return !each.is_over(); });
}

// Ends the job where the device has not come to a copy for too long.
bool DelegatedBackend::is_overdue(Clock::time_point since) {
  if (!waits_for_copy() || Clock::now() - since <= options_.within) return false;
  abort({"device", fmt::format("has not come within {} ms to the copy of {}",
                               options_.within.count(), awaited_copy())});
  return true;
}

// Nobody tells the host that a copy has ended: it asks, often at first.
void DelegatedBackend::wait_a_little(int round) {
  constexpr int eager_rounds = 200;
  constexpr std::chrono::microseconds nap{20};
  if (round < eager_rounds)
    std::this_thread::yield();
  else
    std::this_thread::sleep_for(nap);
}

Result<std::vector<Completion>> DelegatedBackend::finished(std::span<const Ticket> tickets,
                                                           Patience patience) {
  if (failure_) return *failure_;
  Patience of_inner = Patience::none;
  const Clock::time_point start = Clock::now();
  for (int round = 0;; ++round) {
    if (const auto wrong = advance(of_inner)) return *wrong;
    std::vector<Completion> found = over_.take(tickets);
    if (!found.empty() || patience == Patience::none) return found;
    const bool device_first = waits_for_copy();
    assert(device_first || inner_.any());  // else nobody will ever end what is asked about
    if (is_overdue(start)) return *failure_;
    if (device_first) wait_a_little(round);
    of_inner = device_first ? Patience::none : Patience::until_one_is_over;
  }
}

void DelegatedBackend::abort(const Error& cause) {
  if (failure_) return;
  inner_.backend().abort(cause);
  const auto told = inner_.backend().finished({}, Patience::none);
  fail(told ? cause : told.error());
}

// The caller's buffers and the pinned memory are free when it hears of it: the network has let go
// of them, copies end now.
void DelegatedBackend::fail(const Error& error) {
  if (!failure_) failure_ = error;
  constexpr std::chrono::milliseconds moment{5000};
  try {
    end_copies(std::min(moment, options_.within));
  } catch (const std::runtime_error&) {
    // The device is lost, or stands still: nobody waits for it any more.
  }
}

void DelegatedBackend::out_of_memory(std::size_t bytes) {
  abort({fmt::format("rank {}", rank_.value),
         fmt::format("the host has no {} bytes more of pinned memory", bytes)});
}

}  // namespace quintet::engine
