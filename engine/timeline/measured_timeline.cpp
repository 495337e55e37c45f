#include "engine/timeline/measured_timeline.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "sim/program/groups.h"
#include "sim/program/tasks.h"
#include "sim/timeline/program_infos.h"

namespace quintet::engine {

namespace {

// From, to, payload, micro-batch, chunk of the receiver.
using MessageKey = std::tuple<std::int32_t, std::int32_t, Payload, std::int32_t, int>;

void join_messages(const Program& program, Timeline& timeline) {
  const std::vector<const Instruction*> instructions = all_instructions(program);
  std::map<MessageKey, Span*> sends;
  const auto peer = [&](const Span& span, Axis axis, int offset) {
    const Rank here = timeline.tracks[static_cast<std::size_t>(span.track)].rank;
    return neighbour(program.grid, here, axis, offset).value;
  };
  const auto rank = [&](const Span& span) {
    return timeline.tracks[static_cast<std::size_t>(span.track)].rank.value;
  };
  for (Span& span : timeline.spans)
    if (const auto* const send =
            std::get_if<Send>(&instructions[static_cast<std::size_t>(span.info)]->action))
      sends[{rank(span), peer(span, send->axis, send->offset), send->payload, span.micro_batch,
             send->chunk}] = &span;
  std::int32_t flow = 0;
  for (Span& span : timeline.spans) {
    const auto* const receive =
        std::get_if<Receive>(&instructions[static_cast<std::size_t>(span.info)]->action);
    if (!receive) continue;
    const auto found = sends.find({peer(span, receive->axis, receive->offset), rank(span),
                                   receive->payload, span.micro_batch, receive->chunk});
    if (found == sends.end()) continue;
    span.flow = found->second->flow = flow++;
    // A receiver sees a message when it is here; it moved from when both had come to it.
    span.moving = std::clamp(found->second->start, span.start, span.end);
  }
}

using Calls = std::vector<Span*>;  // of a communicator by one rank, in order

std::map<std::pair<std::int32_t, std::int32_t>, Calls> calls_by_communicator(
    const std::vector<const Instruction*>& instructions, Timeline& timeline) {
  std::map<std::pair<std::int32_t, std::int32_t>, Calls> calls;
  for (Span& span : timeline.spans)
    if (const auto* const collective =
            std::get_if<Collective>(&instructions[static_cast<std::size_t>(span.info)]->action))
      calls[{collective->communicator.value,
             timeline.tracks[static_cast<std::size_t>(span.track)].rank.value}]
          .push_back(&span);
  return calls;
}

// The n-th use of a communicator is one collective. It moves when its last member has come to it:
// what a member gets before, from another that was early, helps nobody.
void meet(const std::vector<const Calls*>& members) {
  for (std::size_t call = 0; call < members.front()->size(); ++call) {
    Instant last;
    for (const Calls* const member : members) last = std::max(last, (*member)[call]->start);
    for (const Calls* const member : members) {
      Span& span = *(*member)[call];
      span.moving = std::clamp(last, span.start, span.end);
    }
  }
}

void note_arrivals(const Program& program, Timeline& timeline) {
  if (timeline.tracks.size() != static_cast<std::size_t>(world_size(program.grid))) return;
  const auto calls = calls_by_communicator(all_instructions(program), timeline);
  for (std::size_t number = 0; number < program.communicators.size(); ++number)
    for (const std::vector<Rank>& group : all_groups(program.grid, program.communicators[number])) {
      std::vector<const Calls*> members;
      for (const Rank rank : group) {
        const auto found = calls.find({static_cast<std::int32_t>(number), rank.value});
        if (found != calls.end()) members.push_back(&found->second);
      }
      const auto alike = [&](const Calls* member) {
        return member->size() == members.front()->size();
      };
      if (members.size() == group.size() && std::all_of(members.begin(), members.end(), alike))
        meet(members);
    }
}

// A rank's spans, in order of start, with what is known of each.
void append(Timeline& timeline, const RankSpans& rank, std::int32_t track) {
  std::vector<std::size_t> order(rank.spans.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&rank](std::size_t left, std::size_t right) {
    return rank.spans[left].start < rank.spans[right].start;
  });
  for (const std::size_t place : order) {
    timeline.spans.push_back(rank.spans[place]);
    timeline.spans.back().track = track;
    timeline.end = std::max(timeline.end, timeline.spans.back().end);
    if (!rank.cpu.empty()) timeline.cpu.push_back(rank.cpu[place]);
    if (!rank.notes.empty()) timeline.notes.push_back(rank.notes[place]);
  }
}

}  // namespace

Timeline measured_timeline(const Program& program, const std::vector<RankSpans>& ranks) {
  Timeline timeline;
  timeline.name = "measured";
  for (const LaneInfo& lane : program.lanes) timeline.lanes.push_back(lane.name);
  timeline.infos = program_infos(program);
  for (const RankSpans& each : ranks) {
    const Role& role = program.roles[role_of(program.grid, each.rank).index()];
    const auto track = static_cast<std::int32_t>(timeline.tracks.size());
    timeline.tracks.push_back({each.rank, 1, role.stage, role.name, {}});
    append(timeline, each, track);
  }
  if (timeline.cpu.size() != timeline.spans.size()) timeline.cpu.clear();
  if (timeline.notes.size() != timeline.spans.size()) timeline.notes.clear();
  join_messages(program, timeline);
  note_arrivals(program, timeline);
  return timeline;
}

}  // namespace quintet::engine
