#include "sim/simulate/walk/walk_record.h"

#include <algorithm>
#include <utility>

#include "sim/program/tasks.h"
#include "sim/timeline/program_infos.h"

namespace quintet {

WalkRecord::WalkRecord(const std::vector<std::size_t>& tasks, std::size_t lanes)
    : lanes_(lanes), places_(tasks.size() * lanes), gaps_(tasks.size()) {
  std::size_t all = 0;
  for (const std::size_t count : tasks) {
    begins_.push_back(all);
    all += count;
  }
  ends_ = begins_;
  spans_.resize(all);
  ranks_.resize(all);
}

// Times never go back, so spans have begun in order but for these.
void WalkRecord::order_those_that_start_together() {
  std::vector<std::pair<std::uint32_t, Span>> together;
  for (std::size_t actor = 0; actor < gaps_.size(); ++actor)
    for (std::size_t first = begins_[actor], next = first; first < ends_[actor]; first = next) {
      while (++next < ends_[actor] && spans_[next].start == spans_[first].start) {
      }
      if (next - first < 2) continue;
      together.clear();
      for (std::size_t place = first; place < next; ++place)
        together.emplace_back(ranks_[place], spans_[place]);
      std::sort(together.begin(), together.end(),
                [](const auto& one, const auto& other) { return one.first < other.first; });
      for (std::size_t place = first; place < next; ++place)
        spans_[place] = together[place - first].second;
    }
}

Timeline WalkRecord::timeline(const Program& program, const FoldedWorld& world) && {
  Timeline timeline;
  for (const LaneInfo& lane : program.lanes) timeline.lanes.push_back(lane.name);
  order_those_that_start_together();
  ranks_ = {};
  for (std::size_t actor = 0; actor < gaps_.size(); ++actor) {
    const RankClass& each = world.ranks[actor];
    const Role& role = program.roles[each.role.index()];
    timeline.tracks.push_back({each.shown, each.ranks, role.stage, role.name, {}});
    timeline.host_gaps.insert(timeline.host_gaps.end(), gaps_[actor].begin(), gaps_[actor].end());
  }
  timeline.spans = std::move(spans_);
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
