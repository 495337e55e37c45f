#include "engine/train/step_figures.h"

#include <algorithm>
#include <cmath>

#include "engine/executor/measured_timeline.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

constexpr std::uint32_t figures_group = 4095;  // the last of RankGroup's, far above a program's

double seconds_of(Duration time) {
  return seconds(time).value;
}

}  // namespace

RankFigures figures_of(const Program& program, Rank rank, const StepReport& report) {
  const Timeline mine = measured_timeline(program, {{rank, report.spans}});
  const RankBreakdown parts = breakdowns(mine).front();
  RankFigures figures;
  // Tensor ranks all know the whole loss of their replica.
  if (coordinate(program.grid, rank, Axis::tensor) == 0) figures.loss_sum = report.loss_sum;
  figures.gradient_norm = report.gradient_norm;
  figures.step = seconds_of(parts.step);
  figures.compute = seconds_of(parts.compute);
  for (const Duration time : parts.exposed) figures.exposed += seconds_of(time);
  figures.waiting = seconds_of(parts.waiting);
  figures.bubble = seconds_of(parts.bubble);
  return figures;
}

StepFigures combined(const std::vector<RankFigures>& all, double targets) {
  StepFigures whole;
  const auto ranks = static_cast<double>(all.size());
  for (const RankFigures& each : all) {
    whole.loss += each.loss_sum;
    whole.gradient_norm = std::max(whole.gradient_norm, each.gradient_norm);
    whole.step = std::max(whole.step, each.step);
    whole.peak += each.peak;
    if (each.go_on == GoOn::no) whole.go_on = GoOn::no;
    if (each.step <= 0) continue;
    whole.compute_share += each.compute / each.step / ranks;
    whole.exposed_share += each.exposed / each.step / ranks;
    whole.waiting_share += each.waiting / each.step / ranks;
    whole.bubble_share += each.bubble / each.step / ranks;
  }
  whole.loss /= targets;
  return whole;
}

Result<std::unique_ptr<FigureExchange>> FigureExchange::make(Transport& transport,
                                                             Milliseconds within) {
  GroupOptions everyone;
  everyone.id = figures_group;
  everyone.name = "figures of all ranks";
  for (int rank = 0; rank < transport.world(); ++rank) everyone.members.push_back(Rank{rank});
  Result<std::unique_ptr<RankGroup>> group = RankGroup::make(transport, everyone);
  if (!group) return group.error();
  return std::unique_ptr<FigureExchange>(new FigureExchange(std::move(*group), within));
}

Result<std::vector<RankFigures>> FigureExchange::exchange(const RankFigures& mine) {
  std::vector<RankFigures> all(static_cast<std::size_t>(group_->size()));
  all[static_cast<std::size_t>(group_->position())] = mine;
  CollectiveCall call;
  call.kind = CollectiveKind::all_gather;
  call.buffer = std::as_writable_bytes(std::span(all));
  call.within = within_;
  Result<Operation> gather = group_->start(call);
  if (!gather) return gather.error();
  if (const auto failure = gather->wait()) return failure->error();
  return all;
}

}  // namespace quintet::engine
