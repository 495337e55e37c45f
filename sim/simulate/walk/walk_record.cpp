#include "sim/simulate/walk/walk_record.h"

#include <algorithm>

#include "sim/program/tasks.h"
#include "sim/timeline/program_infos.h"

namespace quintet {

Timeline WalkRecord::timeline(const Program& program, const FoldedWorld& world) && {
  Timeline timeline;
  for (const LaneInfo& lane : program.lanes) timeline.lanes.push_back(lane.name);
  for (std::size_t actor = 0; actor < spans_.size(); ++actor) {
    const RankClass& each = world.ranks[actor];
    const Role& role = program.roles[each.role.index()];
    timeline.tracks.push_back({each.shown, each.ranks, role.stage, role.name, {}});
    std::stable_sort(spans_[actor].begin(), spans_[actor].end(),
                     [](const Span& left, const Span& right) { return left.start < right.start; });
    timeline.spans.insert(timeline.spans.end(), spans_[actor].begin(), spans_[actor].end());
    timeline.host_gaps.insert(timeline.host_gaps.end(), gaps_[actor].begin(), gaps_[actor].end());
    spans_[actor] = {};  // a long step has gigabytes of them
  }
  return timeline;
}

std::vector<SpanInfo> span_infos(const Program& program, const Communications& communications,
                                 const std::vector<std::int32_t>& patterns) {
  std::vector<SpanInfo> infos = program_infos(program);
  const std::vector<const Instruction*> instructions = all_instructions(program);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const auto* const collective = std::get_if<Collective>(&instructions[i]->action);
    if (!collective) continue;
    const auto& groups =
        communications
            .collectives[collective->communicator.index()][static_cast<std::size_t>(patterns[i])];
    if (!groups.empty())
      infos[i].detail = communications.details[static_cast<std::size_t>(groups.front().detail)];
  }
  return infos;
}

}  // namespace quintet
