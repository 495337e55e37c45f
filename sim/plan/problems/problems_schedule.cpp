#include <algorithm>
#include <numeric>
#include <string>

#include "sim/plan/problems/problem_finders.h"

namespace quintet {

namespace {

void find_layer_problems(const Parallelism& parallelism, const Model& model, Problems& found) {
  const std::int64_t chunks = std::int64_t{parallelism.pipeline} * parallelism.virtual_stages;
  const std::vector<int>& layers = parallelism.stage_layers;
  const std::string wanted = std::to_string(chunks) + " entries (pipeline x virtual_stages)";
  if (layers.empty()) {
    if (model.layers % chunks != 0)
      found.push_back({"parallelism.pipeline",
                       std::to_string(model.layers) + " layers do not divide evenly over " +
                           std::to_string(chunks) + " pieces (pipeline x virtual_stages)",
                       use_one_of(divisors(model.layers)) +
                           " pieces, or give the layers of each in parallelism.stage_layers"});
    return;
  }
  if (static_cast<std::int64_t>(layers.size()) != chunks)
    found.push_back({"parallelism.stage_layers",
                     "has " + std::to_string(layers.size()) + " entries", "give " + wanted});
  if (std::any_of(layers.begin(), layers.end(), [](int count) { return count < 1; }))
    found.push_back({"parallelism.stage_layers", "leaves a piece without a layer",
                     "give every piece 1 layer or more"});
  const std::int64_t sum = std::accumulate(layers.begin(), layers.end(), std::int64_t{0});
  if (sum != model.layers)
    found.push_back({"parallelism.stage_layers",
                     "adds up to " + std::to_string(sum) + " layers, but the model has " +
                         std::to_string(model.layers),
                     "make the entries add up to " + std::to_string(model.layers)});
}

void find_interleaving_problems(const Parallelism& parallelism, Problems& found) {
  if (parallelism.schedule != PipelineSchedule::interleaved) {
    if (parallelism.virtual_stages > 1)
      found.push_back({"parallelism.virtual_stages",
                       "schedule " + std::string(name_of(parallelism.schedule)) +
                           " has one piece of the model per stage",
                       "use 1, or schedule interleaved"});
    return;
  }
  if (parallelism.pipeline == 1)
    found.push_back({"parallelism.schedule", "interleaved needs more than one stage",
                     "use schedule 1f1b, or parallelism.pipeline above 1"});
  if (parallelism.virtual_stages == 1)
    found.push_back({"parallelism.virtual_stages", "interleaved with one piece per stage is 1f1b",
                     "use 2 or more, or schedule 1f1b"});
  // Megatron-LM asserts the same: its order goes in groups of as many micro-batches as stages.
  if (parallelism.micro_batches % parallelism.pipeline != 0)
    found.push_back({"parallelism.micro_batches",
                     std::to_string(parallelism.micro_batches) + " is not a multiple of the " +
                         std::to_string(parallelism.pipeline) + " stages, which interleaved needs",
                     "use a multiple of " + std::to_string(parallelism.pipeline)});
}

void find_warm_up_problems(const Parallelism& parallelism, Problems& found) {
  const std::vector<int>& warm_ups = parallelism.warm_ups;
  const char* const field = "parallelism.warm_ups";
  if (parallelism.schedule != PipelineSchedule::warm_up) {
    if (!warm_ups.empty())
      found.push_back({field, "only schedule warm-up has warm-up counts",
                       "leave it out, or use schedule warm-up"});
    return;
  }
  if (static_cast<int>(warm_ups.size()) != parallelism.pipeline)
    found.push_back({field, "has " + std::to_string(warm_ups.size()) + " entries",
                     "give one per stage, " + std::to_string(parallelism.pipeline)});
  if (!std::is_sorted(warm_ups.rbegin(), warm_ups.rend()))
    found.push_back({field, "a later stage warms up longer than an earlier one",
                     "let the counts stay or fall from stage to stage"});
  if (std::any_of(warm_ups.begin(), warm_ups.end(), [](int count) { return count < 1; }))
    found.push_back({field, "a stage without a first forward cannot start", "use 1 or more"});
  if (std::any_of(warm_ups.begin(), warm_ups.end(),
                  [&](int count) { return count > parallelism.micro_batches; }))
    found.push_back({field,
                     "counts more forwards than the " + std::to_string(parallelism.micro_batches) +
                         " micro-batches of a step",
                     "use " + std::to_string(parallelism.micro_batches) + " or less"});
}

void find_recompute_problems(const Parallelism& parallelism, const Model& model, Problems& found) {
  if (parallelism.recompute_layers == 0) return;
  if (parallelism.recompute != Recompute::full)
    found.push_back({"parallelism.recompute_layers",
                     "only recompute full counts layers, not recompute " +
                         std::string(name_of(parallelism.recompute)),
                     "use 0, or recompute full"});
  if (parallelism.recompute_layers < 0 || parallelism.recompute_layers > model.layers)
    found.push_back({"parallelism.recompute_layers",
                     std::to_string(parallelism.recompute_layers) + " of " +
                         std::to_string(model.layers) + " layers",
                     "use 0 (all) up to the layers of a stage"});
}

}  // namespace

void find_schedule_problems(const Parallelism& parallelism, const Model& model, Problems& found) {
  find_layer_problems(parallelism, model, found);
  find_interleaving_problems(parallelism, found);
  find_warm_up_problems(parallelism, found);
  find_recompute_problems(parallelism, model, found);
}

}  // namespace quintet
