#include "engine/train/step_figures.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/network/transport/transport.h"
#include "engine/peers/peers.h"
#include "engine/timeline/measured_timeline.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

constexpr std::uint64_t figures_label = label_in(LabelSpace::training, 0);

double seconds_of(Duration time) {
  return seconds(time).value;
}

}  // namespace

RankFigures figures_of(const Program& program, Rank rank, const StepReport& report) {
  RankFigures figures;
  // Tensor ranks all know the whole loss of their replica.
  if (coordinate(program.grid, rank, Axis::tensor) == 0) figures.loss_sum = report.loss_sum;
  figures.gradient_norm = report.gradient_norm;
  figures.memory = static_cast<double>(report.peak_memory);
  if (report.spans.empty()) return figures;
  const Timeline mine = measured_timeline(program, {{rank, report.spans}});
  const RankBreakdown parts = breakdowns(mine).front();
  figures.step = seconds_of(parts.step);
  figures.compute = seconds_of(parts.compute);
  for (const Duration time : parts.exposed) figures.exposed += seconds_of(time);
  figures.waiting = seconds_of(parts.waiting);
  figures.bubble = seconds_of(parts.bubble);
  return figures;
}

Duration processors_of(const std::vector<RankFigures>& all) {
  Seconds sum;
  for (const RankFigures& each : all) sum += Seconds{each.processors};
  return duration(sum);
}

StepFigures combined(const std::vector<RankFigures>& all, double targets) {
  StepFigures whole;
  const auto ranks = static_cast<double>(all.size());
  for (const RankFigures& each : all) {
    whole.loss += each.loss_sum;
    whole.gradient_norm = std::max(whole.gradient_norm, each.gradient_norm);
    whole.step = std::max(whole.step, each.step);
    whole.peak += each.peak;
    whole.datasheet_peak += each.datasheet_peak;
    if (each.go_on == GoOn::no) whole.go_on = GoOn::no;
    if (each.step <= 0) continue;
    whole.has_shares = true;
    whole.compute_share += each.compute / each.step / ranks;
    whole.exposed_share += each.exposed / each.step / ranks;
    whole.waiting_share += each.waiting / each.step / ranks;
    whole.bubble_share += each.bubble / each.step / ranks;
  }
  whole.loss /= targets;
  return whole;
}

Result<std::vector<RankFigures>> exchanged(Peers& peers, const RankFigures& mine) {
  return exchanged(peers, figures_label, mine);
}

Result<ToldStep> exchanged(Peers& peers, const RankFigures& mine,
                           std::span<const ToldPass> passes) {
  const auto world = static_cast<std::size_t>(peers.world());
  const std::size_t each = sizeof(RankFigures) + passes.size_bytes();
  std::vector<std::byte> own(each), all(world * each);
  std::memcpy(own.data(), &mine, sizeof mine);
  std::memcpy(own.data() + sizeof mine, passes.data(), passes.size_bytes());
  if (auto failed = exchange(peers, figures_label, own, all)) return *failed;
  ToldStep told{std::vector<RankFigures>(world), std::vector<ToldPass>(world * passes.size())};
  for (std::size_t rank = 0; rank < world; ++rank) {
    const std::byte* const from = all.data() + rank * each;
    std::memcpy(&told.figures[rank], from, sizeof mine);
    std::memcpy(told.passes.data() + rank * passes.size(), from + sizeof mine, passes.size_bytes());
  }
  return told;
}

}  // namespace quintet::engine
