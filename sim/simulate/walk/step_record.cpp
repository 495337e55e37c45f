#include "sim/simulate/walk/step_record.h"

#include <algorithm>

namespace quintet {

Timeline StepRecord::timeline(const Program& program, const FoldedWorld& world) && {
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

}  // namespace quintet
