#include "sim/simulate/walk/running_cpu_kernels.h"

#include <algorithm>
#include <utility>

#include "sim/cost/kernel_time.h"

namespace quintet {

namespace {

std::vector<Seconds> times_of(const RankOperators& operators, const ComputeKind& kind,
                              std::size_t variant, const CostTable& costs) {
  std::vector<Seconds> times(operators.instructions());
  for (std::size_t index = 0; index < times.size(); ++index)
    if (const auto work = operators.at(index, kind, variant))
      times[index] = kernel_time(*work, costs);
  return times;
}

}  // namespace

RunningCpuKernels::RunningCpuKernels(const EventQueue& events, Fabric& fabric,
                                     const InstructionTable& table, const RankOperators& operators,
                                     const std::vector<ComputeKind>& kinds, const CostTable& costs,
                                     const FoldedWorld& world, Finished finished)
    : events_(events),
      fabric_(fabric),
      world_(world),
      finished_(std::move(finished)),
      kinds_(kinds),
      staging_(table.instructions.size()),
      busy_(world.ranks.size(), 0),
      taken_(world.links.size(), 0.0),
      speeds_(world.ranks.size(), 1.0) {
  const bool any = std::any_of(world.ranks.begin(), world.ranks.end(),
                               [](const RankClass& each) { return each.kernels >= 0; });
  if (!any) return;
  for (const ComputeKind& kind : kinds) {
    auto& times = times_.emplace_back();
    for (std::size_t variant = 0; variant < variants(kind); ++variant)
      times.push_back(times_of(operators, kind, variant, costs));
  }
  if (!costs.processors) return;
  for (std::size_t index = 0; index < staging_.size(); ++index)
    for (const StagingCosts& each : costs.processors->staging)
      if (each.communication == table.instructions[index]->name)
        staging_[index] = 0.5 * (communicated(*table.instructions[index]) / each.rate);
}

bool RunningCpuKernels::crowded(std::int32_t actor) const {
  const std::vector<Usage>& uses = pools_of(actor);
  return std::any_of(uses.begin(), uses.end(), [&](const Usage& use) {
    const auto link = static_cast<std::size_t>(use.link);
    return taken_[link] * cores_of(actor).bound.value >= world_.links[link].capacity;
  });
}

// In cores, which are whole numbers: exact in any order.
void RunningCpuKernels::count(std::int32_t actor, double sign) {
  for (const Usage& use : pools_of(actor))
    taken_[static_cast<std::size_t>(use.link)] += sign * use.per_unit;
}

void RunningCpuKernels::begin(std::int32_t actor, std::int32_t task, std::int32_t instruction,
                              int micro_batch) {
  const auto kind = static_cast<std::size_t>(rank(actor).computes);
  const std::size_t variant = variant_of(kinds_[kind], micro_batch);
  occupy(actor, times_[kind][variant][static_cast<std::size_t>(instruction)],
         [this, actor, task, since = events_.now()] { finished_(actor, task, since); });
}

void RunningCpuKernels::occupy(std::int32_t actor, Seconds time, std::function<void()> done) {
  const CommunicationPrice& cores = cores_of(actor);
  count(actor, +1);
  busy_[static_cast<std::size_t>(actor)] = 1;
  MoveRequest request{.phases = cores.phases,
                      .whole = cores.phases.front().uses,
                      .size = cores.bound * time,
                      .bound = speeds_[static_cast<std::size_t>(actor)] * cores.bound,
                      .latency = {},
                      .done = nullptr};
  request.done = [this, actor, done = std::move(done)] {
    busy_[static_cast<std::size_t>(actor)] = 0;
    count(actor, -1);
    done();
  };
  fabric_.start(std::move(request));
}

void RunningCpuKernels::burden(std::int32_t actor, Seconds time) {
  if (!has(actor) || !(time > Seconds{})) return;
  const CommunicationPrice& cores = cores_of(actor);
  fabric_.start({.phases = cores.phases,
                 .whole = cores.phases.front().uses,
                 .size = cores.bound * time,
                 .bound = cores.bound,
                 .latency = {},
                 .done = [] {}});
}

}  // namespace quintet
