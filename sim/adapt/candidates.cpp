#include "sim/adapt/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/plan/delivery.h"

namespace quintet {

namespace {

// The first delivery that the host's processors drive.
Delivery by_delegates() {
  for (int number = 0;; ++number)
    if (row_of(static_cast<Delivery>(number)).driver == Driver::delegates)
      return static_cast<Delivery>(number);
}

Plan delegated(Plan plan, const PipelineState& state, const CandidateLimits& limits) {
  plan.host_net.pipeline_delivery = by_delegates();
  plan.host_net.delegates = delegates_for(plan.parallelism.micro_batches, state.stages, limits);
  return plan;
}

std::vector<StageTimes> for_part(std::vector<StageTimes> stages, double share) {
  for (StageTimes& stage : stages) stage.delay = share * stage.delay;
  return stages;
}

Plan replanned(Plan plan, std::vector<StageTimes> times, std::vector<int> warm_ups) {
  Parallelism& parallelism = plan.parallelism;
  parallelism.schedule = PipelineSchedule::adapted;
  parallelism.stage_times = std::move(times);
  parallelism.warm_ups = std::move(warm_ups);
  parallelism.split_backward = false;
  return plan;
}

bool can_be_replanned(const Parallelism& parallelism) {
  return parallelism.pipeline > 1 && parallelism.virtual_stages == 1;
}

struct Replanned {
  std::string name;
  Plan plan;
};

std::vector<Replanned> replanned_ways(const Plan& home, const PipelineState& state) {
  std::vector<Replanned> ways;
  const bool late = std::any_of(state.stages.begin(), state.stages.end(),
                                [](const StageTimes& stage) { return stage.delay > Seconds{}; });
  if (!late) return {{"replanned", replanned(home, state.stages, {})}};
  for (const int percent : {100, 75, 50, 25})
    ways.push_back({fmt::format("replanned for {} % of the delay", percent),
                    replanned(home, for_part(state.stages, 0.01 * percent), {})});
  if (!home.parallelism.warm_ups.empty())
    ways.push_back({"replanned with its own warm-up",
                    replanned(home, state.stages, home.parallelism.warm_ups)});
  return ways;
}

}  // namespace

int delegates_at_hand(const Plan& home) {
  if (const int own = stage_delegates(home); own > 0) return own;
  return home.parallelism.micro_batches % 2 == 0 ? 2 : 1;
}

CandidateLimits limits_of(const Plan& home, const Topology& topology) {
  if (!topology.gpu_specs.empty()) return {};
  return {delegates_at_hand(home)};
}

std::optional<Error> not_adaptable(const Plan& home) {
  if (home.parallelism.pipeline > 1) return std::nullopt;
  return Error{"plan \"" + home.name + "\": parallelism.pipeline",
               "is 1: links between stages are what a plan is adapted to; use 2 or more"};
}

int delegates_for(int micro_batches, const std::vector<StageTimes>& stages,
                  const CandidateLimits& limits) {
  double needed = 1;
  for (const StageTimes& stage : stages) {
    const Seconds made_in = std::min(stage.forward, stage.input_gradient);
    if (made_in > Seconds{}) needed = std::max(needed, std::ceil(stage.delay / made_in));
  }
  int most = 1;
  for (int divisor = 1; divisor <= std::min(micro_batches, limits.most_delegates); ++divisor) {
    if (micro_batches % divisor != 0) continue;
    most = divisor;
    if (divisor >= needed) break;
  }
  return most;
}

std::vector<Candidate> candidates(const Plan& home, const PipelineState& state,
                                  const CandidateLimits& limits) {
  std::vector<Candidate> all{{as_planned, home}};
  if (can_be_replanned(home.parallelism))
    for (const Replanned& way : replanned_ways(home, state)) all.push_back({way.name, way.plan});
  if (limits.most_delegates < 1) return all;
  const std::size_t as_sent_before = all.size();
  for (std::size_t way = 0; way < as_sent_before; ++way) {
    const std::string name = way == 0 ? "delegated" : "delegated, " + all[way].name;
    all.push_back({name, delegated(all[way].plan, state, limits)});
  }
  return all;
}

}  // namespace quintet
