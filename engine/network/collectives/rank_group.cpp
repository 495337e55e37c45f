#include "engine/network/collectives/rank_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

#include "engine/network/collectives/running_collective.h"
#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

// The 48 bits of a tag: group, collective, message.
constexpr int message_bits = 24;
constexpr int collective_bits = 12;
constexpr std::uint32_t most_groups = 1u << 12;
constexpr std::uint32_t collectives_at_once = 1u << collective_bits;

bool adds(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::reduce:
      return true;
    case CollectiveKind::all_gather:
    case CollectiveKind::broadcast:
    case CollectiveKind::all_to_all:
      return false;
  }
  return false;
}

bool has_root(CollectiveKind kind) {
  return kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce;
}

std::size_t element_size(DataType type) {
  return static_cast<std::size_t>(size_of(type).value);
}

bool is_order(std::vector<int> order, std::size_t members) {
  std::sort(order.begin(), order.end());
  std::vector<int> all(members);
  std::iota(all.begin(), all.end(), 0);
  return order == all;
}

std::optional<Error> problem(const GroupOptions& options) {
  const std::string where = "group \"" + options.name + "\"";
  if (options.id >= most_groups)
    return Error{where, fmt::format("id {}; expected less than {}", options.id, most_groups)};
  const int product =
      std::accumulate(options.levels.begin(), options.levels.end(), 1, std::multiplies<>{});
  if (!options.levels.empty() && static_cast<std::size_t>(product) != options.members.size())
    return Error{where,
                 fmt::format("the levels make {} ranks of {}", product, options.members.size())};
  if (!options.order.empty() && !is_order(options.order, options.members.size()))
    return Error{where, fmt::format("the order does not name each of its {} positions once",
                                    options.members.size())};
  if (options.segment == 0 || options.segment % 4 != 0)
    return Error{where,
                 fmt::format("segments of {} bytes; expected a multiple of 4", options.segment)};
  return std::nullopt;
}

}  // namespace

RankGroup::RankGroup(Transport& transport, const GroupOptions& options, int position)
    : transport_(transport), options_(options), position_(position), pool_(options.segment) {
  if (options_.levels.empty()) options_.levels = {size()};
}

Result<std::unique_ptr<RankGroup>> RankGroup::make(Transport& transport,
                                                   const GroupOptions& options) {
  if (const std::optional<Error> wrong = engine::problem(options)) return *wrong;
  const auto self = std::find(options.members.begin(), options.members.end(), transport.rank());
  if (self == options.members.end())
    return Error{"group \"" + options.name + "\"",
                 fmt::format("rank {} is no member", transport.rank().value)};
  const auto position = static_cast<int>(self - options.members.begin());
  return std::unique_ptr<RankGroup>(new RankGroup(transport, options, position));
}

std::optional<Error> RankGroup::problem(const CollectiveCall& call) const {
  const std::string where = std::string(name_of(call.kind)) + " of group \"" + options_.name + "\"";
  const std::size_t bytes = call.buffer.size();
  if (bytes % element_size(call.type) != 0)
    return Error{where, fmt::format("{} bytes are not whole elements", bytes)};
  if (adds(call.kind) && reducible(call.type) == Reducible::no)
    return Error{where, "only fp32, bf16 and fp16 can be added"};
  if (has_root(call.kind) && (call.root < 0 || call.root >= size()))
    return Error{where, fmt::format("root {} of {}", call.root, size())};
  if (call.kind != CollectiveKind::all_to_all) return std::nullopt;
  if (bytes / element_size(call.type) % options_.members.size() != 0)
    return Error{
        where, fmt::format("{} bytes do not divide into equal parts for {} ranks", bytes, size())};
  if (call.received.size() != bytes || (bytes > 0 && call.received.data() == call.buffer.data()))
    return Error{where, "needs another buffer of the same size to receive into"};
  return std::nullopt;
}

Result<Operation> RankGroup::start(const CollectiveCall& call) {
  if (const std::optional<Error> wrong = problem(call)) return *wrong;
  const int root = has_root(call.kind) ? call.root : 0;
  const Shape shape{call.kind, call.algorithm, call.buffer.size() / element_size(call.type),
                    element_size(call.type), (position_ - root + size()) % size()};
  const Result<const Messages*> messages = messages_for(shape);
  if (!messages) return messages.error();
  const std::uint64_t use = call.use.value_or(started_);
  OnWire wired = on_wire(call, **messages, use);
  wired.number =
      NumberInUse::take(under_way_, static_cast<std::uint32_t>(use % collectives_at_once));
  if (!wired.number)
    return Error{wired.name,
                 fmt::format("another one with its number (modulo {}) is still under way",
                             collectives_at_once)};
  ++started_;
  return transport_.start(std::make_unique<RunningCollective>(call, std::move(wired), pool_),
                          call.within);
}

Result<const Messages*> RankGroup::messages_for(const Shape& shape) {
  const auto known = messages_.find(shape);
  if (known != messages_.end()) return &known->second;
  const double bytes =
      static_cast<double>(shape.elements) * static_cast<double>(shape.element_size);
  const Result<Schedule> schedule =
      schedule_of(shape.algorithm, {shape.kind, options_.levels, options_.order, Bytes{bytes},
                                    Bytes{static_cast<double>(options_.segment)}});
  if (!schedule) return schedule.error();
  const BufferShape buffer{shape.elements, shape.element_size, options_.segment};
  const auto made = messages_.emplace(shape, messages_of(*schedule, shape.position, buffer));
  return &made.first->second;
}

OnWire RankGroup::on_wire(const CollectiveCall& call, const Messages& messages,
                          std::uint64_t use) const {
  OnWire wired;
  wired.messages = &messages;
  wired.members = options_.members;
  if (has_root(call.kind))
    std::rotate(wired.members.begin(), wired.members.begin() + call.root, wired.members.end());
  const std::uint64_t sequence = use % collectives_at_once;
  wired.tag = ((std::uint64_t{options_.id} << collective_bits) | sequence) << message_bits;
  if (call.kind == CollectiveKind::all_to_all)
    wired.kept = part_of(call.buffer.size(), size(), position_);
  wired.name = fmt::format("{} {} of group \"{}\"", name_of(call.kind), use + 1, options_.name);
  return wired;
}

Result<std::vector<std::unique_ptr<RankGroup>>> groups_of(const Program& program,
                                                          Transport& transport) {
  std::vector<std::unique_ptr<RankGroup>> groups;
  for (const Communicator& communicator : program.communicators) {
    const auto id = static_cast<std::uint32_t>(groups.size());
    groups.emplace_back();
    GroupOptions options;
    options.id = id;
    options.name = communicator.name;
    options.members = group_of(program.grid, communicator, transport.rank());
    if (options.members.empty()) continue;
    Result<std::unique_ptr<RankGroup>> group = RankGroup::make(transport, options);
    if (!group) return group.error();
    groups.back() = *std::move(group);
  }
  return groups;
}

}  // namespace quintet::engine
