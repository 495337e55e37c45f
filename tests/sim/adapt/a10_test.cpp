// PipeMorph's A10 iterations (arXiv 2504.19232, 49 configurations), replayed: each stage's passes
// in the order of the log, with the medians of its measured F, B and W on the GPU; what waits for
// what, who sends how, and the delay as it was injected are the simulator's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>

#include "sim/simulate/predict.h"
#include "tests/sim/adapt/adaptra_machine.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

using test::Method;
using test::RecordedIteration;
using test::RecordedPass;

Seconds usual(const std::vector<RecordedPass>& passes, PassKind kind) {
  std::vector<double> times;
  for (const RecordedPass& pass : passes)
    for (int each = pass.first; pass.kind == kind && each <= pass.last; ++each)
      times.push_back(pass.device.value / (pass.last - pass.first + 1));
  return times.empty() ? Seconds{} : Seconds{test::median(times)};
}

CostTable costs_of(const RecordedIteration& iteration) {
  std::vector<StageTimes> stages;
  for (const auto& passes : iteration.stages)
    stages.push_back({usual(passes, PassKind::forward),
                      usual(passes, PassKind::input_gradient) + usual(passes, PassKind::backward),
                      usual(passes, PassKind::weight_gradient),
                      {}});
  return test::costs_of(stages, {});
}

std::vector<PassOrder> orders_of(const RecordedIteration& iteration) {
  std::vector<PassOrder> orders;
  for (const auto& passes : iteration.stages) {
    PassOrder& order = orders.emplace_back();
    for (const RecordedPass& pass : passes)
      for (int each = pass.first; each <= pass.last; ++each) order.push_back({pass.kind, each, 0});
  }
  return orders;
}

bool is_slow(const RecordedIteration& iteration) {
  for (const Seconds delay : iteration.delays)
    if (delay > Seconds{}) return true;
  return false;
}

// Zero-bubble orders go over NCCL until a delay has been noticed. The logs have 3 delegates up to
// 60 ms, 6 beyond.
Plan plan_of(const RecordedIteration& iteration, const Plan& plan) {
  if (iteration.method == Method::one_f_one_b) return test::plan_of(plan, iteration.method, 1);
  if (!is_slow(iteration)) return test::plan_of(plan, Method::zero_bubble, 1);
  const Seconds delay = *std::max_element(iteration.delays.begin(), iteration.delays.end());
  return test::plan_of(plan, iteration.method, delay > Seconds{0.0601} ? 6 : 3);
}

using PassKey = std::tuple<int, Phase, int>;  // stage, phase, micro-batch
struct Extent {
  Seconds start, end;
};

Phase phase_of(PassKind kind) {
  switch (kind) {
    case PassKind::forward:
      return Phase::forward;
    case PassKind::input_gradient:
      return Phase::input_gradient;
    case PassKind::weight_gradient:
      return Phase::weight_gradient;
    case PassKind::backward:
      return Phase::backward;
  }
  return Phase::forward;
}

std::map<PassKey, Extent> replayed(const RecordedIteration& iteration, const test::Testbed& bed) {
  const Plan plan = plan_of(iteration, bed.plan);
  const Topology topology = test::with_held_links(bed.topology, iteration.delays, iteration.method);
  const CostTable costs = costs_of(iteration);
  const Program program = test::program_in_order(bed.model, plan, orders_of(iteration));
  const Timeline timeline = test::required(simulate(program, plan, topology, costs)).timeline;
  std::map<PassKey, Extent> passes;
  for (const Span& span : timeline.spans) {
    const SpanInfo& info = timeline.infos[static_cast<std::size_t>(span.info)];
    if (info.kind != SpanKind::compute || span.micro_batch < 0) continue;
    const int stage = timeline.tracks[static_cast<std::size_t>(span.track)].stage;
    passes[{stage, info.phase, span.micro_batch}] = {seconds(span.start - Instant{}),
                                                     seconds(span.end - Instant{})};
  }
  return passes;
}

struct Replay {
  Seconds measured, predicted;  // the last pass ends
  std::vector<double> errors;   // of every start and end, as shares of the iteration
};

Replay replay(const RecordedIteration& iteration, const test::Testbed& bed) {
  const std::map<PassKey, Extent> passes = replayed(iteration, bed);
  Replay made;
  for (const auto& stage : iteration.stages)
    for (const RecordedPass& pass : stage) made.measured = std::max(made.measured, pass.end);
  for (std::size_t stage = 0; stage < iteration.stages.size(); ++stage)
    for (const RecordedPass& pass : iteration.stages[stage]) {
      const int number = static_cast<int>(stage);
      const Extent& first = passes.at({number, phase_of(pass.kind), pass.first});
      const Extent& last = passes.at({number, phase_of(pass.kind), pass.last});
      made.predicted = std::max(made.predicted, last.end);
      made.errors.push_back(std::abs((first.start - pass.start) / made.measured));
      made.errors.push_back(std::abs((last.end - pass.end) / made.measured));
    }
  return made;
}

// The bound: 2 % of the iteration in the median over all operations. fig20/ALL-CPU is left
// out: its log is of no delay, yet its messages between stages 0 and 1, and 2 and 3, are 64 ms
// late.
TEST(A10Iterations, AreReplayedPassByPass) {
  if (!std::filesystem::exists(test::adaptra_file("adaptra_a10_op_timeline.csv")))
    GTEST_SKIP() << "no " << test::adaptra_file("adaptra_a10_op_timeline.csv");
  const test::Testbed bed = test::testbed("A10");
  const std::vector<RecordedIteration> iterations = test::recorded_iterations();
  ASSERT_EQ(96U, iterations.size());
  std::vector<double> all, slow;
  fmt::print("{:<40} {:<10} {:>9} {:>9} {:>7} {:>12}\n", "A10 iterations", "", "measured",
             "predicted", "error", "pass, median");
  for (const RecordedIteration& iteration : iterations) {
    const Replay made = replay(iteration, bed);
    all.insert(all.end(), made.errors.begin(), made.errors.end());
    if (is_slow(iteration)) slow.insert(slow.end(), made.errors.begin(), made.errors.end());
    fmt::print("{:<40} {:<10} {:>9.1f} {:>9.1f} {:>6.1f}% {:>11.2f}%\n", iteration.config,
               iteration.phase, 1e3 * made.measured.value, 1e3 * made.predicted.value,
               100 * (made.predicted / made.measured - 1), 100 * test::median(made.errors));
  }
  fmt::print(
      "{} starts and ends: median error {:.2f} % of the iteration, {:.2f} % of delayed ones\n",
      all.size(), 100 * test::median(all), 100 * test::median(slow));
  EXPECT_LE(test::median(all), 0.02);
  EXPECT_LE(test::median(slow), 0.03);
}

}  // namespace
}  // namespace quintet
