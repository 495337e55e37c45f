// A machine, and evaluators whose steps can be told by hand.
#pragma once

#include <functional>
#include <string>

#include "sim/advice/evaluation.h"
#include "tests/support/small_worlds.h"

namespace quintet::test {

// Four hosts of two GPUs and two NICs of 50 GB/s each under two leaves of a fat tree.
inline Machine small_machine() {
  return {built(gpu_host(2, 2), 4, tree("fat_tree", 8)), CostTable{}};
}

inline Evaluated taking(double seconds) {
  Evaluated evaluated;
  evaluated.step = Seconds{seconds};
  evaluated.mean.step = duration(Seconds{seconds});
  return evaluated;
}

// Every plan needs no memory, and nothing is known of links.
inline Evaluator evaluating(std::function<Result<Evaluated>(const Plan&, const Machine&)> step) {
  return {std::move(step),
          [](const Plan&, const Machine&) -> Result<StepDetail> { return StepDetail{}; },
          [](const Plan&, const Machine&) -> Result<Bytes> { return Bytes{}; }};
}

inline Evaluator taking(std::function<double(const Plan&, const Machine&)> seconds) {
  return evaluating([seconds = std::move(seconds)](const Plan& plan,
                                                   const Machine& machine) -> Result<Evaluated> {
    return taking(seconds(plan, machine));
  });
}

// Of both directions of cables between NICs and switches, GB/s.
inline double slowest_nic(const Topology& topology) {
  double slowest = 1e300;
  for (const Link& link : topology.links)
    if (topology.device(link.from).kind == DeviceKind::nic ||
        topology.device(link.to).kind == DeviceKind::nic)
      if (link.kind == LinkKind::network) slowest = std::min(slowest, link.rate().value / 1e9);
  return slowest;
}

// Eight ranks, a step of 16 sequences of 4 tokens.
inline Plan eight_ranks(int tensor) {
  Plan plan;
  plan.name = "plan";
  plan.parallelism.tensor = tensor;
  plan.parallelism.data = 8 / tensor;
  plan.parallelism.sequence_length = 4;
  plan.parallelism.micro_batches = 2 * tensor;
  return plan;
}

}  // namespace quintet::test
