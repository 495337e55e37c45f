#include "engine/executor/measured_timeline.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "sim/program/groups.h"
#include "sim/timeline/program_infos.h"

namespace quintet::engine {

namespace {

// From, to, payload, micro-batch, chunk of the receiver.
using Message = std::tuple<std::int32_t, std::int32_t, Payload, std::int32_t, int>;

void join_messages(const Program& program, Timeline& timeline) {
  const std::vector<const Instruction*> instructions = all_instructions(program);
  std::map<Message, Span*> sends;
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
    if (found != sends.end()) span.flow = found->second->flow = flow++;
  }
}

}  // namespace

Timeline measured_timeline(const Program& program, std::vector<RankSpans> ranks) {
  Timeline timeline;
  timeline.name = "measured";
  for (const LaneInfo& lane : program.lanes) timeline.lanes.push_back(lane.name);
  timeline.infos = program_infos(program);
  for (RankSpans& each : ranks) {
    const Role& role = program.roles[role_of(program.grid, each.rank).index()];
    const auto track = static_cast<std::int32_t>(timeline.tracks.size());
    timeline.tracks.push_back({each.rank, 1, role.stage, role.name});
    std::stable_sort(each.spans.begin(), each.spans.end(),
                     [](const Span& left, const Span& right) { return left.start < right.start; });
    for (Span& span : each.spans) {
      span.track = track;
      timeline.end = std::max(timeline.end, span.end);
      timeline.spans.push_back(span);
    }
  }
  join_messages(program, timeline);
  return timeline;
}

}  // namespace quintet::engine
