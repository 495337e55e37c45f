#include <algorithm>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "sim/plan/problems/problem_finders.h"

namespace quintet {

namespace {

void find_layer_problems(const Parallelism& parallelism, const Model& model, Problems& found) {
  const std::int64_t chunks = std::int64_t{parallelism.pipeline} * parallelism.virtual_stages;
  const std::vector<int>& layers = parallelism.stage_layers;
  if (layers.empty()) {
    if (model.layers % chunks != 0)
      found.push_back(
          {"parallelism.pipeline",
           fmt::format("{} layers do not divide evenly over {} pieces (pipeline x virtual_stages)",
                       model.layers, chunks),
           use_one_of(divisors(model.layers)) +
               " pieces, or give the layers of each in parallelism.stage_layers"});
    return;
  }
  if (static_cast<std::int64_t>(layers.size()) != chunks)
    found.push_back({"parallelism.stage_layers", fmt::format("has {} entries", layers.size()),
                     fmt::format("give {} entries (pipeline x virtual_stages)", chunks)});
  if (std::any_of(layers.begin(), layers.end(), [](int count) { return count < 1; }))
    found.push_back({"parallelism.stage_layers", "leaves a piece without a layer",
                     "give every piece 1 layer or more"});
  const std::int64_t sum = std::accumulate(layers.begin(), layers.end(), std::int64_t{0});
  if (sum != model.layers)
    found.push_back({"parallelism.stage_layers",
                     fmt::format("adds up to {} layers, but the model has {}", sum, model.layers),
                     fmt::format("make the entries add up to {}", model.layers)});
}

// With one stage there is nothing to lay out: whoever names such a schedule wants a pipeline.
void find_stage_problems(const Parallelism& parallelism, Problems& found) {
  const ScheduleRow& schedule = row_of(parallelism.schedule);
  if (schedule.stages == schedules::Stages::any || parallelism.pipeline > 1) return;
  found.push_back({"parallelism.schedule",
                   fmt::format("{} needs more than one stage", schedule.name),
                   fmt::format("use schedule {}, or parallelism.pipeline above 1",
                               name_of(PipelineSchedule::one_f_one_b))});
}

// What the schedule's row asks of the pieces per stage and of the micro-batches.
void find_interleaving_problems(const Parallelism& parallelism, Problems& found) {
  const ScheduleRow& schedule = row_of(parallelism.schedule);
  const std::string_view plain = name_of(PipelineSchedule::one_f_one_b);
  if (schedule.chunks == schedules::Chunks::one && parallelism.virtual_stages > 1)
    found.push_back({"parallelism.virtual_stages",
                     fmt::format("schedule {} has one piece of the model per stage", schedule.name),
                     fmt::format("use 1, or schedule {}", name_of(PipelineSchedule::interleaved))});
  if (schedule.chunks == schedules::Chunks::several && parallelism.virtual_stages == 1)
    found.push_back({"parallelism.virtual_stages",
                     fmt::format("{} with one piece per stage is {}", schedule.name, plain),
                     fmt::format("use 2 or more, or schedule {}", plain)});
  // Megatron-LM asserts the same of its interleaved order.
  if (schedule.micro_batches == schedules::MicroBatches::multiple_of_stages &&
      parallelism.micro_batches % parallelism.pipeline != 0)
    found.push_back({"parallelism.micro_batches",
                     fmt::format("{} is not a multiple of the {} stages, which {} needs",
                                 parallelism.micro_batches, parallelism.pipeline, schedule.name),
                     fmt::format("use a multiple of {}", parallelism.pipeline)});
}

void find_warm_up_problems(const Parallelism& parallelism, Problems& found) {
  const std::vector<int>& warm_ups = parallelism.warm_ups;
  const char* const field = "parallelism.warm_ups";
  const schedules::WarmUps asked = row_of(parallelism.schedule).warm_ups;
  if (asked == schedules::WarmUps::either && warm_ups.empty()) return;
  if (asked == schedules::WarmUps::by_rule) {
    if (!warm_ups.empty())
      found.push_back({field, "only schedule warm-up has warm-up counts",
                       "leave it out, or use schedule warm-up"});
    return;
  }
  if (static_cast<int>(warm_ups.size()) != parallelism.pipeline)
    found.push_back({field, fmt::format("has {} entries", warm_ups.size()),
                     fmt::format("give one per stage, {}", parallelism.pipeline)});
  if (!std::is_sorted(warm_ups.rbegin(), warm_ups.rend()))
    found.push_back({field, "a later stage warms up longer than an earlier one",
                     "let the counts stay or fall from stage to stage"});
  if (std::any_of(warm_ups.begin(), warm_ups.end(), [](int count) { return count < 1; }))
    found.push_back({field, "a stage without a first forward cannot start", "use 1 or more"});
  if (std::any_of(warm_ups.begin(), warm_ups.end(),
                  [&](int count) { return count > parallelism.micro_batches; }))
    found.push_back({field,
                     fmt::format("counts more forwards than the {} micro-batches of a step",
                                 parallelism.micro_batches),
                     fmt::format("use {} or less", parallelism.micro_batches)});
}

// Instants are counted in picoseconds; an order that is planned must end before they do.
constexpr Seconds longest_order{1e6};

void find_stage_time_problems(const Parallelism& parallelism, Problems& found) {
  const std::vector<StageTimes>& times = parallelism.stage_times;
  const char* const field = "parallelism.stage_times";
  if (row_of(parallelism.schedule).times == schedules::Times::none) {
    if (!times.empty())
      found.push_back({field, "only schedule adapted is planned for times",
                       "leave it out, or use schedule adapted"});
    return;
  }
  if (static_cast<int>(times.size()) != parallelism.pipeline)
    found.push_back({field, fmt::format("has {} entries", times.size()),
                     fmt::format("give one per stage, {}", parallelism.pipeline)});
  Seconds all;
  for (const StageTimes& stage : times)
    all += stage.forward + stage.input_gradient + stage.weight_gradient + 2.0 * stage.delay;
  if (parallelism.micro_batches * all > longest_order)
    found.push_back({field, "add up to more than 1000000 s over the micro-batches of a step",
                     "use times and delays of real passes, such as 20 ms"});
  if (!times.empty() && times.back().delay > Seconds{})
    found.push_back({field, "the last stage has a delay, but sends nothing on",
                     "give it to the stage before the slow link"});
}

void find_recompute_problems(const Parallelism& parallelism, const Model& model, Problems& found) {
  if (parallelism.recompute_layers == 0) return;
  if (parallelism.recompute != Recompute::full)
    found.push_back({"parallelism.recompute_layers",
                     fmt::format("only recompute full counts layers, not recompute {}",
                                 name_of(parallelism.recompute)),
                     "use 0, or recompute full"});
  if (parallelism.recompute_layers < 0 || parallelism.recompute_layers > model.layers)
    found.push_back({"parallelism.recompute_layers",
                     fmt::format("{} of {} layers", parallelism.recompute_layers, model.layers),
                     "use 0 (all) up to the layers of a stage"});
}

}  // namespace

void find_schedule_problems(const Parallelism& parallelism, const Model& model, Problems& found) {
  find_layer_problems(parallelism, model, found);
  find_stage_problems(parallelism, found);
  find_interleaving_problems(parallelism, found);
  find_warm_up_problems(parallelism, found);
  find_stage_time_problems(parallelism, found);
  find_recompute_problems(parallelism, model, found);
}

}  // namespace quintet
