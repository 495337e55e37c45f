#include "sim/command/plans/plan_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "sim/asked/sample_lengths.h"
#include "sim/plan/asked_plan.h"
#include "sim/plan/problems/problems.h"
#include "sim/simulate/predict.h"

namespace quintet {
namespace {

struct Shape {
  int tensor = 1, pipeline = 1;
};

// By how many ranks hold one replica, tensor parallelism first.
std::vector<Shape> shapes(const Inputs& inputs) {
  const int slots = static_cast<int>(rank_slots(inputs.topology).size());
  const int inside = static_cast<int>(inputs.topology.hosts.front().gpus.size());
  std::vector<Shape> all;
  int widest = 1;
  for (int tensor = 1; tensor <= inside; tensor *= 2)
    if (inputs.model.heads % tensor == 0 && inputs.model.kv_heads % tensor == 0 &&
        inputs.model.feed_forward % tensor == 0 && slots % tensor == 0) {
      all.push_back({tensor, 1});
      widest = tensor;
    }
  for (int pipeline = 2; pipeline <= inputs.model.layers && widest * pipeline <= slots; ++pipeline)
    if (inputs.model.layers % pipeline == 0 && slots % (widest * pipeline) == 0)
      all.push_back({widest, pipeline});
  return all;
}

bool says(const FieldChanges& asked, const std::string& field) {
  return std::any_of(asked.begin(), asked.end(), [&](const FieldChange& change) {
    return change.path == "parallelism." + field;
  });
}

void say(FieldChanges& changes, const std::string& field, const std::string& value) {
  if (!says(changes, field))
    changes.push_back({"parallelism." + field, value, field + " " + value});
}

int usual_length(const Model& model) {
  constexpr int longest = 8192;
  return model.max_positions > 0 ? std::min(longest, model.max_positions) : longest;
}

// Sequences of a step, a multiple of what all replicas take at once, and of what a schedule of
// `pipeline` stages is filled by.
int usual_batch(const Plan& plan) {
  constexpr double tokens = 4e6;
  const Parallelism& parallelism = plan.parallelism;
  const int round = parallelism.data * parallelism.micro_batch * parallelism.pipeline;
  const int wanted = static_cast<int>(tokens / parallelism.sequence_length);
  return std::max(1, (wanted + round - 1) / round) * round;
}

struct Relief {
  const char* recompute;
  const char* sharding;
};

// Equal for all: what is left open by what was asked.
Result<Plan> plan_of(const Inputs& inputs, FieldChanges asked, const Shape& shape,
                     const Relief& relief) {
  const int slots = static_cast<int>(rank_slots(inputs.topology).size());
  say(asked, "tensor", fmt::to_string(shape.tensor));
  say(asked, "pipeline", fmt::to_string(shape.pipeline));
  say(asked, "sequence_length", fmt::to_string(usual_length(inputs.model)));
  say(asked, "recompute", relief.recompute);
  Result<Plan> plan =
      with_lengths(asked_plan({"{}", "the plan asked for", false}, asked, slots), {});
  if (!plan) return plan;
  if (plan->parallelism.data > 1) say(asked, "sharding", relief.sharding);
  if (plan->parallelism.tensor > 1 &&
      plan->parallelism.sequence_length % plan->parallelism.tensor == 0)
    say(asked, "sequence_parallel", "true");
  if (!says(asked, "global_batch") && !says(asked, "micro_batches"))
    say(asked, "global_batch", fmt::to_string(usual_batch(*plan)));
  plan = with_lengths(asked_plan({"{}", "the plan asked for", false}, asked, slots), {});
  if (plan && plan->name.empty()) plan->name = layout_name(plan->parallelism);
  return plan;
}

Bytes needed(const MemoryReport& memory) {
  return total(fullest(memory).value_or(RankMemory{}));
}

}  // namespace

Result<PlanStart> plan_start(const Inputs& inputs, const FieldChanges& asked) {
  constexpr Relief reliefs[] = {
      {"none", "optimizer"}, {"full", "optimizer"}, {"full", "parameters"}};
  std::optional<PlanStart> least;
  Error last{"", "no layout of this model fills this machine"};
  for (const Relief& relief : reliefs)
    for (const Shape& shape : shapes(inputs)) {
      Result<Plan> plan = plan_of(inputs, asked, shape, relief);
      if (!plan) {
        last = plan.error();
        continue;
      }
      const std::vector<Problem> wrong = problems(*plan, inputs.model, inputs.topology);
      if (!wrong.empty()) {
        last = {wrong.front().field, wrong.front().reason + "; " + wrong.front().remedy};
        continue;
      }
      Result<MemoryReport> memory =
          predict_memory(inputs.model, *plan, inputs.topology, inputs.costs, inputs.compile);
      if (!memory) return memory.error();
      const PlanStart start{std::move(*plan), std::move(*memory)};
      if (start.memory.capacity.value <= 0 || verdict(start.memory) == MemoryVerdict::fits)
        return start;
      if (!least || needed(start.memory) < needed(least->memory)) least = start;
    }
  if (!least) return last;
  return *least;
}

}  // namespace quintet
