#include "sim/parallelism/pipeline_order.h"

#include <algorithm>
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "tests/sim/parallelism/pipeline_time.h"

namespace quintet {
namespace {

using test::peak_activations;
using test::pipeline_orders;
using test::pipeline_time;
using test::stage_pauses;

Parallelism pipeline(PipelineSchedule schedule, int stages, int micro_batches, int chunks = 1) {
  Parallelism parallelism;
  parallelism.schedule = schedule;
  parallelism.pipeline = stages;
  parallelism.micro_batches = micro_batches;
  parallelism.virtual_stages = chunks;
  return parallelism;
}

// F1 B1 W1: micro-batches from 1, as the papers draw them; X is B and W in one; chunk after a dot.
std::string text(const PassOrder& order) {
  std::string line;
  for (const Pass& pass : order) {
    line += line.empty() ? "" : " ";
    line += "FBWX"[static_cast<int>(pass.kind)] + std::to_string(pass.micro_batch + 1);
    if (pass.chunk > 0) line += "." + std::to_string(pass.chunk);
  }
  return line;
}

// The oracles give times for a whole stage; a chunk takes its share of them.
double makespan(const Parallelism& parallelism, double forward, double input, double weight) {
  const double share = 1.0 / parallelism.virtual_stages;
  const PassTimes times{Seconds{forward * share}, Seconds{input * share}, Seconds{weight * share}};
  return pipeline_time(pipeline_orders(parallelism), even_times(parallelism.pipeline, times)).value;
}

struct Oracle {
  PipelineSchedule schedule;
  int stages, micro_batches, chunks;
  double forward, input_gradient, weight_gradient;
  double time;
};

void expect_oracles(const std::vector<Oracle>& oracles) {
  for (const Oracle& oracle : oracles) {
    const Parallelism parallelism =
        pipeline(oracle.schedule, oracle.stages, oracle.micro_batches, oracle.chunks);
    EXPECT_NEAR(
        oracle.time,
        makespan(parallelism, oracle.forward, oracle.input_gradient, oracle.weight_gradient),
        1e-9 * oracle.time)
        << "p=" << oracle.stages << " m=" << oracle.micro_batches << " v=" << oracle.chunks;
  }
}

constexpr PipelineSchedule gpipe = PipelineSchedule::gpipe;
constexpr PipelineSchedule one_f_one_b = PipelineSchedule::one_f_one_b;
constexpr PipelineSchedule interleaved = PipelineSchedule::interleaved;
constexpr PipelineSchedule zb_h1 = PipelineSchedule::zb_h1;
constexpr PipelineSchedule zb_h2 = PipelineSchedule::zb_h2;

// p=4 m=8 F=1 Bf=2: GPipe = 1F1B = 33; interleaved v=2 28.5, v=4 26.25;
// p=8 m=32: 117; p=8 m=16 v=2: 58.5; p=2 m=4 v=2: 13.5; p=4 m=4 F=3 Bf=5: 56.
TEST(PipelineOrder, TakesAsLongAsOracleE1Says) {
  expect_oracles({
      {gpipe, 4, 8, 1, 1, 1, 1, 33},
      {one_f_one_b, 4, 8, 1, 1, 1, 1, 33},
      {interleaved, 4, 8, 2, 1, 1, 1, 28.5},
      {interleaved, 4, 8, 4, 1, 1, 1, 26.25},
      {one_f_one_b, 8, 32, 1, 1, 1, 1, 117},
      {gpipe, 8, 32, 1, 1, 1, 1, 117},
      {interleaved, 8, 16, 2, 1, 1, 1, 58.5},
      {interleaved, 2, 4, 2, 1, 1, 1, 13.5},
      {gpipe, 4, 4, 1, 3, 2, 3, 56},
      {one_f_one_b, 4, 4, 1, 3, 2, 3, 56},
  });
}

// ZB-H1 F=B=W=1: p=4 m=8 -> 27; m=12 -> 39; p=8 m=24 -> 79 (3m + p - 1).
TEST(PipelineOrder, ZeroBubbleTakesAsLongAsOracleE2Says) {
  expect_oracles({
      {zb_h1, 4, 8, 1, 1, 1, 1, 27},
      {zb_h1, 4, 12, 1, 1, 1, 1, 39},
      {zb_h1, 8, 24, 1, 1, 1, 1, 79},
  });
}

// Bubble fraction p=8 m=32: 7/39; interleaved v=4: 7/135 of total, 7/128 of
// ideal.
TEST(PipelineOrder, HasTheBubbleOfOracleE3) {
  const double ideal = 32 * 3.0;
  const double plain = makespan(pipeline(one_f_one_b, 8, 32), 1, 1, 1);
  const double chunked = makespan(pipeline(interleaved, 8, 32, 4), 1, 1, 1);
  EXPECT_NEAR(7.0 / 39.0, (plain - ideal) / plain, 1e-9);
  EXPECT_NEAR(7.0 / 135.0, (chunked - ideal) / chunked, 1e-9);
  EXPECT_NEAR(7.0 / 128.0, (chunked - ideal) / ideal, 1e-9);
}

// PP=8, F=1, Bf=2, W=1: bubble of 1F1B 21, of ZB1P 7. ZB1P's
// (p-1)(F + Bf - 2W) is H1's (p-1)(F + B - W). (DualPipe 6 is not built.)
TEST(PipelineOrder, HasTheBubbleOfOracleE4) {
  const double ideal = 24 * 3.0;
  EXPECT_NEAR(21.0, makespan(pipeline(one_f_one_b, 8, 24), 1, 1, 1) - ideal, 1e-9);
  EXPECT_NEAR(7.0, makespan(pipeline(zb_h1, 8, 24), 1, 1, 1) - ideal, 1e-9);
}

// Zero Bubble, arXiv 2401.10241 section 2.3: the largest pause of a stage is (p-1)(F+B+W) in 1F1B,
// (p-1)(F+B-W) in ZB-H1, (p-1)(F+B-2W) in ZB-H2, none for F = B = W.
TEST(PipelineOrder, PausesAsLongAsTheZeroBubblePaperSays) {
  for (const int p : {2, 3, 4, 8})
    for (const int micro_batches : {2 * p - 1, 2 * p, 5 * p})
      for (const auto& [f, b, w] : {std::array{1.0, 1.0, 1.0}, {2, 3, 2}, {1, 2, 1}, {2, 2, 1}}) {
        const PipelineTimes times = even_times(p, {Seconds{f}, Seconds{b}, Seconds{w}});
        const auto largest = [&](PipelineSchedule schedule) {
          const auto all =
              stage_pauses(pipeline_orders(pipeline(schedule, p, micro_batches)), times);
          return std::max_element(all.begin(), all.end())->value;
        };
        EXPECT_NEAR((p - 1) * (f + b + w), largest(one_f_one_b), 1e-9);
        EXPECT_NEAR((p - 1) * (f + b - w), largest(zb_h1), 1e-9);
        EXPECT_NEAR((p - 1) * (f + b - 2 * w), largest(zb_h2), 1e-9);
      }
}

// Without post-validation the last stage begins (p-1)F later than the first, and the step ends with
// it: 3m + p - 1 for F = B = W, as ZB-H1; for F=1 B=2 W=1 4m + (p-1) max(F, F+B-2W), against
// ZB-H1's 4m + (p-1)(F+B-W).
TEST(PipelineOrder, ZeroBubbleStepsStillEndTogether) {
  EXPECT_NEAR(3 * 24 + 7, makespan(pipeline(zb_h2, 8, 24), 1, 1, 1), 1e-9);
  EXPECT_NEAR(4 * 24 + 7 * 1, makespan(pipeline(zb_h2, 8, 24), 1, 2, 1), 1e-9);
  EXPECT_NEAR(4 * 24 + 7 * 2, makespan(pipeline(zb_h1, 8, 24), 1, 2, 1), 1e-9);
}

// 1F1B peak activations on stage s (0-based) = min(m, p - s); GPipe m.
TEST(PipelineOrder, HoldsTheActivationsOfOracleE6) {
  for (const int micro_batches : {1, 3, 8, 20})
    for (int stage = 0; stage < 8; ++stage) {
      EXPECT_EQ(std::min(micro_batches, 8 - stage),
                peak_activations(pipeline_order(pipeline(one_f_one_b, 8, micro_batches), stage)));
      EXPECT_EQ(micro_batches,
                peak_activations(pipeline_order(pipeline(gpipe, 8, micro_batches), stage)));
    }
}

// ZB-H1 holds p activations, as 1F1B's first stage does; interleaved holds
// p (1 + (p-1)/(p v)) micro-batches on the first stage, p v + p - 1 chunks.
TEST(PipelineOrder, HoldsNoMoreActivationsThanItsFormula) {
  for (int stage = 0; stage < 4; ++stage)
    EXPECT_EQ(4, peak_activations(pipeline_order(pipeline(zb_h1, 4, 12), stage)));
  for (int stage = 0; stage < 4; ++stage)
    EXPECT_EQ(7, peak_activations(pipeline_order(pipeline(zb_h2, 4, 12), stage)));
  EXPECT_EQ(4 * 3 + 3, peak_activations(pipeline_order(pipeline(interleaved, 4, 12, 3), 0)));
}

// By hand: 1F1B as arXiv 2104.04473 figure 3 (top) draws it, GPipe as its figure 2 does.
TEST(PipelineOrder, RunsOneForwardOneBackwardAfterTheWarmUp) {
  EXPECT_EQ("F1 F2 F3 F4 X1 F5 X2 X3 X4 X5", text(pipeline_order(pipeline(one_f_one_b, 4, 5), 0)));
  EXPECT_EQ("F1 X1 F2 X2 F3 X3 F4 X4 F5 X5", text(pipeline_order(pipeline(one_f_one_b, 4, 5), 3)));
  EXPECT_EQ("F1 F2 F3 X1 X2 X3", text(pipeline_order(pipeline(gpipe, 4, 3), 1)));
}

TEST(PipelineOrder, PutsWeightGradientsOffByTheStagesBefore) {
  EXPECT_EQ("F1 F2 F3 B1 W1 F4 B2 W2 F5 B3 W3 B4 W4 B5 W5",
            text(pipeline_order(pipeline(zb_h1, 3, 5), 0)));
  EXPECT_EQ("F1 B1 F2 B2 F3 B3 W1 F4 B4 W2 F5 B5 W3 W4 W5",
            text(pipeline_order(pipeline(zb_h1, 3, 5), 2)));
  EXPECT_EQ("F1 F2 F3 F4 F5 B1 W1 F6 B2 W2 B3 W3 B4 W4 B5 W5 B6 W6",
            text(pipeline_order(pipeline(zb_h2, 3, 6), 0)));
  EXPECT_EQ("F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 W1 F6 B6 W2 W3 W4 W5 W6",
            text(pipeline_order(pipeline(zb_h2, 3, 6), 2)));
}

// Megatron-LM's schedule table for 2 stages, 2 chunks, 4 micro-batches: warm-up
// 2 (p - s - 1) + (v - 1) p = 4 forwards on stage 0, 2 on stage 1.
TEST(PipelineOrder, InterleavesChunksInGroupsOfThePipelineDepth) {
  EXPECT_EQ("F1 F2 F1.1 F2.1 F3 X1.1 F4 X2.1 F3.1 X1 F4.1 X2 X3.1 X4.1 X3 X4",
            text(pipeline_order(pipeline(interleaved, 2, 4, 2), 0)));
  EXPECT_EQ("F1 F2 F1.1 X1.1 F2.1 X2.1 F3 X1 F4 X2 F3.1 X3.1 F4.1 X4.1 X3 X4",
            text(pipeline_order(pipeline(interleaved, 2, 4, 2), 1)));
}

TEST(PipelineOrder, SplitsEachBackwardWhenAsked) {
  Parallelism split = pipeline(one_f_one_b, 2, 2);
  split.split_backward = true;
  EXPECT_EQ("F1 F2 B1 W1 B2 W2", text(pipeline_order(split, 0)));
  EXPECT_EQ(33.0, [] {
    Parallelism longer = pipeline(one_f_one_b, 4, 8);
    longer.split_backward = true;
    return makespan(longer, 1, 2, 0);
  }());
}

TEST(PipelineOrder, RunsEveryPassOnceWhateverTheShape) {
  for (const PipelineSchedule schedule : {gpipe, one_f_one_b, interleaved, zb_h1, zb_h2})
    for (const int stages : {2, 3, 8})
      for (const int micro_batches : {stages, 2 * stages, 5 * stages}) {
        const int chunks = schedule == interleaved ? 3 : 1;
        const Parallelism parallelism = pipeline(schedule, stages, micro_batches, chunks);
        const std::size_t kinds = splits_backward(parallelism) ? 3 : 2;
        for (const PassOrder& order : pipeline_orders(parallelism)) {
          std::string line = text(order) + " ";
          EXPECT_EQ(kinds * static_cast<std::size_t>(micro_batches * chunks), order.size());
          for (auto pass = order.begin(); pass != order.end(); ++pass)
            EXPECT_EQ(1, std::count(order.begin(), order.end(), *pass)) << line;
        }
        EXPECT_GT(makespan(parallelism, 1, 1, 1), 0.0);
      }
}

TEST(PipelineTime, IsMinusOneWhenStagesWaitForEachOther) {
  const PassOrder backward_first{{PassKind::backward, 0, 0}, {PassKind::forward, 0, 0}};
  EXPECT_EQ(Seconds{-1}, pipeline_time({backward_first}, even_times(1, {})));
}

}  // namespace
}  // namespace quintet
