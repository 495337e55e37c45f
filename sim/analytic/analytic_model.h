// The `analytic` fidelity: a step put together from pieces that depend on few of a plan's fields
// each - bodies of layers, collectives with what their siblings leave them of the links, the
// pipeline's recursion, the end of the step - instead of a walk of the whole Program. Every piece
// is made by the functions that the walk is made of (operators and their bodies, NCCL's tuner,
// footprints on links, the schedules' own orders) and is kept, so that plans which differ in few
// fields share most of their work. What it leaves out is listed at `step`.
//
//   AnalyticModel model(gpt, machine, costs, options);
//   for (const Plan& plan : candidates)
//     if (model.memory(plan).fits && model.bound(plan) < best)
//       if (const auto step = model.step(plan)) ...
#pragma once

#include <array>
#include <memory>

#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/cost/cost_table.h"
#include "sim/model/model.h"
#include "sim/parallelism/compile.h"
#include "sim/plan/plan.h"
#include "sim/topology/topology.h"

namespace quintet {

// Of the stage that needs most: what the verdict and the figure of predict_memory() are.
struct AnalyticMemory {
  Bytes memory, capacity;
  bool fits = true;
  bool operator==(const AnalyticMemory&) const = default;
};

// Means over all ranks, as RankBreakdown means them:
// compute + the sum of exposed + bubble + other = step.
struct AnalyticStep {
  Seconds step;
  Seconds compute;
  std::array<Seconds, axis_count> exposed{};  // communication that no compute hides, by Axis
  Seconds bubble;
  Seconds other;  // waiting for peers, copies, host and idle time together
  Bytes memory, capacity;
  bool fits = true;
  bool operator==(const AnalyticStep&) const = default;
};

// For one thread. Answers and pieces are memoised; they are the same whatever was asked before.
class AnalyticModel {
 public:
  // References must outlive this.
  AnalyticModel(const Model& model, const Topology& topology, const CostTable& costs,
                const CompileOptions& options = {});
  ~AnalyticModel();
  AnalyticModel(AnalyticModel&&) noexcept;

  // Of a plan without problems(). Fails with the field that makes the plan one of those that only
  // the walk prices: then predict() has the answer.
  Result<AnalyticStep> step(const Plan& plan);

  // Of a plan without problems(): all plans have an answer.
  AnalyticMemory memory(const Plan& plan);

  // Not above the step of predict() nor above that of step(), of any plan without problems().
  Seconds bound(const Plan& plan);

  // Not above bound() of any plan that decides alike in layer 1 and host_net.launch, whatever the
  // other layers decide: what kernels take, as if all communication took no time.
  Seconds floor(const Plan& plan);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quintet
