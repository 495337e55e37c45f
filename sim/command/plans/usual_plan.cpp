#include "sim/command/plans/usual_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/answer/answer.h"
#include "sim/base/quantity_text.h"
#include "sim/command/plans/plan_start.h"

namespace quintet {
namespace {

// What makes the training another one, and not only faster.
void take_training(const Parallelism& chosen, Parallelism& usual) {
  usual.compute_type = chosen.compute_type;
  usual.float8 = chosen.float8;
  usual.gradient_type = chosen.gradient_type;
  usual.master_weights = chosen.master_weights;
  usual.moment_type = chosen.moment_type;
  usual.optimizer = chosen.optimizer;
  usual.clipping = chosen.clipping;
  usual.loss_scaling = chosen.loss_scaling;
  usual.samples = chosen.samples;
  usual.load_balance = chosen.load_balance;
  usual.attention = chosen.attention;
  usual.offload = chosen.offload;
}

// Published verdicts on plans that need more are wrong too often (MemoryBand of
// traces/residuals.json): nobody starts with one.
constexpr double used_of_memory = 0.89;

FieldChange said(const char* field, const std::string& value) {
  return {fmt::format("parallelism.{}", field), value, fmt::format("{} {}", field, value)};
}

// Fields that decide what fits, for plan_start() to know.
FieldChanges asked_of(const Parallelism& chosen) {
  return {said("sequence_length", fmt::to_string(chosen.sequence_length)),
          said("global_batch", fmt::to_string(global_batch(chosen))),
          said("compute_type", std::string(name_of(chosen.compute_type))),
          said("gradient_type", std::string(name_of(chosen.gradient_type))),
          said("master_weights", chosen.master_weights ? "true" : "false"),
          said("optimizer", std::string(name_of(chosen.optimizer))),
          said("clipping", std::string(name_of(chosen.clipping)))};
}

Bytes usual_bucket(const Parallelism& parallelism) {
  const double elements = std::max(40e6, 1e6 * parallelism.data);
  return elements * size_of(parallelism.gradient_type);
}

// The same stages, in the order that most have.
Plan usual_order(const Plan& chosen) {
  Plan plan;
  plan.parallelism = chosen.parallelism;
  plan.parallelism.schedule = PipelineSchedule::one_f_one_b;
  plan.parallelism.warm_ups.clear();
  plan.parallelism.stage_times.clear();
  plan.parallelism.split_backward = false;
  return plan;
}

Result<Plan> usual_layout(const Inputs& inputs, const Plan& chosen) {
  if (!inputs.costs.stages.empty()) return usual_order(chosen);
  Inputs roomy = inputs;
  for (GpuSpec& gpu : roomy.topology.gpu_specs) gpu.memory = used_of_memory * gpu.memory;
  Result<PlanStart> start = plan_start(roomy, asked_of(chosen.parallelism));
  if (!start) return start.error();
  take_training(chosen.parallelism, start->plan.parallelism);
  return std::move(start->plan);
}

}  // namespace

Result<UsualPlan> usual_plan(const Inputs& inputs, const Plan& chosen) {
  Result<Plan> layout = usual_layout(inputs, chosen);
  if (!layout) return layout.error();
  Plan plan = std::move(*layout);
  plan.ccl.bucket = usual_bucket(plan.parallelism);
  plan.ccl.tuner = chosen.ccl.tuner;  // the library's version is no decision of a plan
  const bool has_gpus = !inputs.topology.gpu_specs.empty();
  if (has_gpus && inputs.topology.protocol != NetworkProtocol::infiniband)
    plan.network.routing = Routing::ecmp;
  if (!has_gpus) {
    plan.host_net = chosen.host_net;
    plan.network.routing = chosen.network.routing;
  }
  plan.run = chosen.run;
  plan.name = chosen.name;
  const std::string is = fmt::format("{}, {}, buckets of {:.0f} MB, routing {}",
                                     layout_text(plan.parallelism), method_text(plan.parallelism),
                                     plan.ccl.bucket.value / 1e6, name_of(plan.network.routing));
  return UsualPlan{std::move(plan), is};
}

}  // namespace quintet
