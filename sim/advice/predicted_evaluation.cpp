#include "sim/advice/predicted_evaluation.h"

#include <fmt/format.h>

#include <utility>

#include "sim/answer/answer.h"
#include "sim/plan/problems/problems.h"

namespace quintet {
namespace {

// Whether a profile of a stage for a micro-batch is of both.
bool same_stages(const Parallelism& one, const Parallelism& other) {
  return one.tensor == other.tensor && one.pipeline == other.pipeline &&
         one.micro_batch == other.micro_batch && one.virtual_stages == other.virtual_stages &&
         one.recompute == other.recompute && one.sharding == other.sharding;
}

// In a line, where predict() lists all that is wrong.
std::optional<Error> wrong(const PredictedBy& by, const Plan& plan, const Topology& topology) {
  if (by.profiled && !same_stages(*by.profiled, plan.parallelism))
    return Error{"", "the costs are profiles of whole stages, of another layout"};
  const std::vector<Problem> found = problems(plan, by.model, topology);
  if (found.empty()) return std::nullopt;
  return Error{found.front().field,
               fmt::format("{}; {}", found.front().reason, found.front().remedy)};
}

Evaluated evaluated(const PredictedBy& by, const Plan& plan, const Machine& machine,
                    const Prediction& prediction) {
  AnswerContext context{machine.topology, machine.costs, by.stack, by.published, {}, {}};
  if (by.prices)
    if (Result<Bill> bill = bill_of(machine.topology, *by.prices)) context.bill = std::move(*bill);
  const Answer answer = answer_of(plan, "", prediction, context);
  Evaluated found{mean_step(answer),      prediction.mean,           answer.memory_needed,
                  answer.memory_capacity, prediction.summary.energy, std::nullopt,
                  mean_interval(answer)};
  if (answer.money) found.money = answer.money->owned_step.usual;
  return found;
}

Result<Evaluated> step_of(const PredictedBy& by, const Plan& plan, const Machine& machine) {
  if (auto error = wrong(by, plan, machine.topology)) return *error;
  PredictOptions options = by.options;
  options.shown = ShownTimeline::without_repetition;
  const Result<Prediction> prediction =
      predict(by.model, plan, machine.topology, machine.costs, options);
  if (!prediction) return prediction.error();
  return evaluated(by, plan, machine, *prediction);
}

Result<StepDetail> detail_of(const PredictedBy& by, const Plan& plan, const Machine& machine) {
  if (auto error = wrong(by, plan, machine.topology)) return *error;
  const Result<Prediction> prediction =
      predict(by.model, plan, machine.topology, machine.costs, by.options);
  if (!prediction) return prediction.error();
  StepDetail detail{{}, prediction->track_of_rank, {}};
  for (const std::int32_t load : prediction->load_of_link)
    detail.carried.push_back(
        load < 0 ? Bytes{} : Bytes{prediction->loads[static_cast<std::size_t>(load)].bytes});
  detail.path = path_shares(prediction->timeline, critical_path(prediction->timeline));
  return detail;
}

Result<Bytes> memory_of(const PredictedBy& by, const Plan& plan, const Machine& machine) {
  if (auto error = wrong(by, plan, machine.topology)) return *error;
  const Result<MemoryReport> report =
      predict_memory(by.model, plan, machine.topology, machine.costs, by.options.compile);
  if (!report) return report.error();
  return total(fullest(*report).value_or(RankMemory{}));
}

}  // namespace

Evaluator predicting(PredictedBy by) {
  return {[by](const Plan& plan, const Machine& machine) { return step_of(by, plan, machine); },
          [by](const Plan& plan, const Machine& machine) { return detail_of(by, plan, machine); },
          [by](const Plan& plan, const Machine& machine) { return memory_of(by, plan, machine); }};
}

}  // namespace quintet
