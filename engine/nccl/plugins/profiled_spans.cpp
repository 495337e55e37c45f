#include "engine/nccl/plugins/profiled_spans.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

#include "engine/nccl/message_routes.h"
#include "sim/program/groups.h"
#include "sim/program/tasks.h"

namespace quintet::engine {

namespace {

// What NCCL calls the communicator that an instruction uses, and what it does there. Collectives of
// each lane have a communicator of their own, by the same name.
struct Use {
  std::string communicator;
  std::string function;
  int lane = 0;
};
using Key = std::pair<std::string, int>;  // name and lane; of messages, lane 0

std::string function_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return "AllReduce";
    case CollectiveKind::reduce_scatter:
      return "ReduceScatter";
    case CollectiveKind::all_gather:
      return "AllGather";
    case CollectiveKind::broadcast:
      return "Broadcast";
    case CollectiveKind::reduce:
      return "Reduce";
    case CollectiveKind::all_to_all:
      break;
  }
  return {};  // NCCL makes it of messages between all
}

Use use_of(const Program& program, Rank rank, const Instruction& instruction) {
  const auto peer = [&](Axis axis, int offset) {
    return neighbour(program.grid, rank, axis, offset);
  };
  if (const auto* const collective = std::get_if<Collective>(&instruction.action)) {
    const quintet::Communicator& group = program.communicators[collective->communicator.index()];
    if (group_of(program.grid, group, rank).size() < 2)
      return {};  // a copy, of which NCCL is silent
    return {group.name, function_of(collective->kind), instruction.lane.value};
  }
  if (const auto* const send = std::get_if<Send>(&instruction.action))
    if (send->memory == Memory::device)
      return {text_of(MessageRoute{send->payload, rank, peer(send->axis, send->offset)}), "Send"};
  if (const auto* const receive = std::get_if<Receive>(&instruction.action))
    if (receive->memory == Memory::device)
      return {text_of(MessageRoute{receive->payload, peer(receive->axis, receive->offset), rank}),
              "Recv"};
  return {};
}

bool is_message(const ProfiledOperation& operation) {
  return operation.algorithm.empty();
}

struct OfCommunicator {
  std::vector<std::size_t> spans;  // in order of start
  std::vector<std::string> functions;

  // On a communicator of collectives they are those of an all-to-all.
  bool carries_messages() const { return functions[0] == "Send" || functions[0] == "Recv"; }
};

std::map<Key, OfCommunicator> by_communicator(const Program& program, const RankSpans& spans) {
  const std::vector<const Instruction*> instructions = all_instructions(program);
  std::vector<std::size_t> order(spans.spans.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return spans.spans[left].start < spans.spans[right].start;
  });
  std::map<Key, OfCommunicator> communicators;
  for (const std::size_t place : order) {
    const auto info = static_cast<std::size_t>(spans.spans[place].info);
    const Use use = use_of(program, spans.rank, *instructions[info]);
    if (use.function.empty()) continue;
    OfCommunicator& of = communicators[{use.communicator, use.lane}];
    of.spans.push_back(place);
    of.functions.push_back(use.function);
  }
  return communicators;
}

// Whether none is missing, as far as NCCL counts them: a communicator's, from 0 for each function.
bool is_whole(std::span<const ProfiledOperation* const> operations) {
  std::map<std::string, std::uint64_t> next;  // by function
  for (const ProfiledOperation* const each : operations) {
    if (each->sequence && *each->sequence != next[each->function]++) return false;
  }
  return true;
}

using Operations = std::vector<const ProfiledOperation*>;

// These are the operations of the spans' step on one of NCCL's communicators; there are none where
// they do not agree with the spans.
Operations matched(const OfCommunicator& of, const Operations& all, const StepPlace& step) {
  Operations operations;
  for (const ProfiledOperation* const each : all)
    if (is_message(*each) == of.carries_messages()) operations.push_back(each);
  const std::size_t each = of.spans.size();
  const std::size_t before = each * static_cast<std::size_t>(step.index);
  const std::size_t most = each * static_cast<std::size_t>(step.steps);
  if (operations.size() < before + each || operations.size() > most) return {};
  const std::span until_end(operations.data(), before + each);
  const auto found = until_end.subspan(before);
  const bool alike = std::equal(
      found.begin(), found.end(), of.functions.begin(),
      [](const auto* operation, const auto& name) { return operation->function == name; });
  if (!alike || !is_whole(until_end)) return {};
  return {found.begin(), found.end()};
}

// Those of the one communicator of that name that agrees; empty where none does, or several do.
Operations matched(const OfCommunicator& of, const std::map<std::string, Operations>& by_id,
                   const StepPlace& step) {
  Operations found;
  for (const auto& [id, operations] : by_id) {
    Operations agree = matched(of, operations, step);
    if (agree.empty()) continue;
    if (!found.empty()) return {};
    found = std::move(agree);
  }
  return found;
}

std::string in_microseconds(std::uint64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", static_cast<double>(nanoseconds) / 1e3);
  return text;
}

}  // namespace

std::string note_of(const ProfiledOperation& operation) {
  std::string note = "NCCL";
  if (!is_message(operation)) note += " " + operation.algorithm + " " + operation.protocol;
  note += ", " + std::to_string(operation.channels) +
          (operation.channels == 1 ? " channel" : " channels");
  if (!operation.duration || operation.times.empty()) return note + ", not seen to end";
  const auto length = [](const ChannelTime& time) { return time.stop_ns - time.start_ns; };
  const auto [shortest, longest] = std::minmax_element(
      operation.times.begin(), operation.times.end(),
      [&](const auto& left, const auto& right) { return length(left) < length(right); });
  const auto [first, last] = std::minmax_element(
      operation.times.begin(), operation.times.end(),
      [](const auto& left, const auto& right) { return left.start_ns < right.start_ns; });
  if (operation.times.size() == 1) return note + ", " + in_microseconds(length(*longest)) + " us";
  return note + ", " + in_microseconds(length(*shortest)) + " to " +
         in_microseconds(length(*longest)) + " us, begun within " +
         in_microseconds(last->start_ns - first->start_ns) + " us";
}

Noted note_operations(const Program& program, std::span<const ProfiledOperation> operations,
                      const StepPlace& step, RankSpans& spans) {
  std::map<std::string, std::map<std::string, Operations>> by_name;  // and id
  for (const ProfiledOperation& each : operations)
    by_name[each.communicator][each.id].push_back(&each);
  Noted noted;
  spans.notes.resize(spans.spans.size());
  for (const auto& [key, of] : by_communicator(program, spans)) {
    const Operations found = matched(of, by_name[key.first], step);
    if (found.empty()) noted.unmatched += static_cast<int>(of.spans.size());
    for (std::size_t place = 0; place < found.size(); ++place) {
      std::string& note = spans.notes[of.spans[place]];
      note += (note.empty() ? "" : "; ") + note_of(*found[place]);
      ++noted.spans;
    }
  }
  return noted;
}

}  // namespace quintet::engine
