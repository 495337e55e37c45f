// PipeMorph's H800 runs (arXiv 2504.19232) of 7B and 14B, predicted: all methods, links and delays.
//
// Only what the runs' logs say of the stages goes in (F, B and W, medians over the runs of
// a model) and, per model and way of sending, one undisturbed iteration: what it takes beyond its
// passes is the update and the host. Nothing is fitted to a delayed iteration.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "sim/simulate/predict.h"
#include "tests/sim/adapt/adaptra_machine.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

using test::AdaptraRun;
using test::Method;

std::vector<StageTimes> stages_of(const std::vector<AdaptraRun>& runs, const std::string& model) {
  std::vector<StageTimes> stages(model == "14B" ? 8 : 4);
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    std::vector<double> forward, input_gradient, weight_gradient;
    for (const AdaptraRun& run : runs) {
      if (run.model != model || run.profile.empty()) continue;
      forward.push_back(run.profile[stage].forward.value);
      input_gradient.push_back(run.profile[stage].input_gradient.value);
      weight_gradient.push_back(run.profile[stage].weight_gradient.value);
    }
    stages[stage] = {Seconds{test::median(forward)},
                     Seconds{test::median(input_gradient)},
                     Seconds{test::median(weight_gradient)},
                     {}};
  }
  return stages;
}

Seconds step(const test::Testbed& bed, const Plan& plan, const Topology& topology,
             const CostTable& costs) {
  const Program program = test::required(checked_program(bed.model, plan, topology, costs));
  return seconds(test::required(simulate(program, plan, topology, costs)).timeline.end);
}

// 1F1B, zero-bubble orders over NCCL, delegates.
enum class Stack { megatron, zero_bubble, delegated };
Stack stack_of(Method method) {
  if (method == Method::one_f_one_b) return Stack::megatron;
  return method == Method::zero_bubble ? Stack::zero_bubble : Stack::delegated;
}

class Predictor {
 public:
  Predictor(const std::vector<AdaptraRun>& runs, const std::string& model)
      : bed_(test::testbed(model)), stages_(stages_of(runs, model)) {
    for (const Method method : {Method::one_f_one_b, Method::zero_bubble, Method::delegated})
      updates_[stack_of(method)] = undisturbed(runs, model, method);
  }

  Seconds predicted(const AdaptraRun& run) const {
    Plan plan = planned(run.method, run.delegates);
    if (run.method == Method::adapted) {
      plan.parallelism.warm_ups = run.warm_ups;
      for (std::size_t link = 0; link < run.delays.size(); ++link)
        plan.parallelism.stage_times[link].delay = run.delays[link];
    }
    return step(bed_, plan, test::with_held_links(bed_.topology, run.delays, run.method),
                test::costs_of(stages_, updates_.at(stack_of(run.method))));
  }

 private:
  Plan planned(Method method, int delegates) const {
    Plan plan = test::plan_of(bed_.plan, method, delegates);
    if (plan.parallelism.schedule == PipelineSchedule::adapted)
      plan.parallelism.stage_times = stages_;
    return plan;
  }

  Seconds undisturbed(const std::vector<AdaptraRun>& runs, const std::string& model,
                      Method method) const {
    std::vector<double> measured;
    for (const AdaptraRun& run : runs)
      if (run.model == model && stack_of(run.method) == stack_of(method))
        measured.push_back(run.before.value);
    if (method == Method::delegated) measured = {test::delegated_without_delay(model).value};
    const Seconds passes =
        step(bed_, planned(method, 3), bed_.topology, test::costs_of(stages_, {}));
    return Seconds{test::median(measured)} - passes;
  }

  test::Testbed bed_;
  std::vector<StageTimes> stages_;
  std::map<Stack, Seconds> updates_;
};

struct Compared {
  AdaptraRun run;
  Seconds predicted;
  double error() const { return predicted / run.under - 1; }
};

std::vector<Compared> compared(const std::vector<AdaptraRun>& runs) {
  const std::map<std::string, Predictor> predictors{{"7B", Predictor(runs, "7B")},
                                                    {"14B", Predictor(runs, "14B")}};
  std::vector<Compared> all;
  for (const AdaptraRun& run : runs) all.push_back({run, predictors.at(run.model).predicted(run)});
  return all;
}

void print(const std::vector<Compared>& all) {
  fmt::print("{:<17} {:<4} {:<12} {:>5}  {:<10} {:>9} {:>9} {:>7}\n", "H800 runs", "model", "links",
             "ms", "method", "measured", "predicted", "error");
  for (const Compared& each : all) {
    Seconds delay;
    for (const Seconds one : each.run.delays) delay = std::max(delay, one);
    fmt::print("{:<17} {:<4} {:<12} {:>5.0f}  {:<10} {:>9.1f} {:>9.1f} {:>6.1f}%\n",
               each.run.experiment, each.run.model, each.run.links, 1e3 * delay.value,
               name_of(each.run.method), 1e3 * each.run.under.value, 1e3 * each.predicted.value,
               100 * each.error());
  }
}

bool one_case(const AdaptraRun& one, const AdaptraRun& other) {
  return one.experiment == other.experiment && one.model == other.model &&
         one.links == other.links && one.delays == other.delays;
}

struct Orders {
  int right = 0, all = 0;
};

// Which of every two methods is faster under one delay.
Orders orders(const std::vector<Compared>& all) {
  Orders counted;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (!one_case(all[i].run, all[j].run)) continue;
      ++counted.all;
      if ((all[i].predicted < all[j].predicted) == (all[i].run.under < all[j].run.under))
        ++counted.right;
    }
  return counted;
}

// The bounds: median error 6 %, 95 % of the orders.
TEST(H800Runs, ArePredictedUnderEveryDelay) {
  if (!std::filesystem::exists(test::adaptra_file("adaptra_results.csv")))
    GTEST_SKIP() << "no " << test::adaptra_file("adaptra_results.csv");
  const std::vector<Compared> all = compared(test::adaptra_runs());
  ASSERT_EQ(80U, all.size());
  print(all);
  std::vector<double> errors;
  for (const Compared& each : all) errors.push_back(std::abs(each.error()));
  const Orders order = orders(all);
  fmt::print("median error {:.1f} %, largest {:.1f} %; {} of {} pairs of methods in their order\n",
             100 * test::median(errors), 100 * *std::max_element(errors.begin(), errors.end()),
             order.right, order.all);
  EXPECT_LE(test::median(errors), 0.06);
  EXPECT_GE(order.right, 0.95 * order.all);
}

}  // namespace
}  // namespace quintet
