#include <string>

#include <gtest/gtest.h>

#include "tests/sim/parallelism/pipeline_time.h"

namespace quintet {
namespace {

using test::pipeline_orders;
using test::pipeline_time;

using namespace literals;

const PassTimes ten{10_ms, 10_ms, 10_ms};

PipelineTimes with_delay(PipelineTimes times, std::size_t link, Seconds delay) {
  times.delays[link] = delay;
  return times;
}

// arXiv 2504.19232, the paper's toy pipeline: S=4, N=12, F = B = W = 10 ms, warm-ups 7,5,3,1.
Parallelism toy() {
  Parallelism parallelism;
  parallelism.schedule = PipelineSchedule::warm_up;
  parallelism.pipeline = 4;
  parallelism.micro_batches = 12;
  parallelism.warm_ups = {7, 5, 3, 1};
  return parallelism;
}

// 390 / 400 / 440 ms at c_0 = 0 / 10 / 20 ms: the order is planned without the delay and kept; each
// message over link 0-1 takes c_0 longer, either way, however many are under way.
TEST(ToyPipeline, Takes390And400And440MillisecondsInTheUnadaptedOrder) {
  const std::vector<PassOrder> orders = pipeline_orders(toy());
  const PipelineTimes times = even_times(4, ten);
  EXPECT_DOUBLE_EQ(0.390, pipeline_time(orders, with_delay(times, 0, 0_ms)).value);
  EXPECT_DOUBLE_EQ(0.400, pipeline_time(orders, with_delay(times, 0, 10_ms)).value);
  EXPECT_DOUBLE_EQ(0.440, pipeline_time(orders, with_delay(times, 0, 20_ms)).value);
}

// Found by running, with the same rule written a second time in Python: planned again with the
// delay known, the last 30 ms of 440 go.
TEST(ToyPipeline, Takes410MillisecondsWhenPlannedAgainForTheDelay) {
  const PipelineTimes slow = with_delay(even_times(4, ten), 0, 20_ms);
  EXPECT_DOUBLE_EQ(0.410, pipeline_time(list_schedule({7, 5, 3, 1}, 12, slow), slow).value);
}

// The greedy rule by hand for S=2, N=3, x=3,1 and one unit per pass: stage 1 has F1 at 1, B1 at 2,
// B before F, F before W.
TEST(ListSchedule, TakesBackwardsFirstThenForwardsThenWeightGradients) {
  const std::vector<PassOrder> orders = list_schedule({3, 1}, 3, even_times(2, ten));
  const auto pass = [](PassKind kind, int micro_batch) { return Pass{kind, micro_batch, 0}; };
  constexpr PassKind F = PassKind::forward, B = PassKind::input_gradient,
                     W = PassKind::weight_gradient;
  EXPECT_EQ((PassOrder{pass(F, 0), pass(F, 1), pass(F, 2), pass(B, 0), pass(W, 0), pass(B, 1),
                       pass(W, 1), pass(B, 2), pass(W, 2)}),
            orders[0]);
  EXPECT_EQ((PassOrder{pass(F, 0), pass(B, 0), pass(F, 1), pass(B, 1), pass(F, 2), pass(B, 2),
                       pass(W, 0), pass(W, 1), pass(W, 2)}),
            orders[1]);
}

// Difference quotient of the step time against the delay of one link, where delays dominate.
double slope(const std::vector<PassOrder>& orders, const PipelineTimes& times, std::size_t link) {
  const Seconds near = pipeline_time(orders, with_delay(times, link, 10_s));
  const Seconds far = pipeline_time(orders, with_delay(times, link, 20_s));
  return (far - near) / 10_s;
}

// arXiv 2504.19232, section 4.1: 2N/(D+1). N=24, S=8, link 6-7: D=1 (1F1B) -> 24, D=2 (warm-ups
// 15,13,...,1) -> 16.
TEST(SlopeLaw, IsTwoMicroBatchesOverSlacknessPlusOneOnTheLastLink) {
  Parallelism parallelism;
  parallelism.pipeline = 8;
  parallelism.micro_batches = 24;
  EXPECT_NEAR(24.0, slope(pipeline_orders(parallelism), even_times(8, ten), 6), 1e-9);
  parallelism.schedule = PipelineSchedule::warm_up;
  parallelism.warm_ups = {15, 13, 11, 9, 7, 5, 3, 1};
  EXPECT_NEAR(16.0, slope(pipeline_orders(parallelism), even_times(8, ten), 6), 1e-9);
}

// The law counts groups of D+1 micro-batches for ever. On a link further up, warm-up and the end of
// the step take part of the N out of the steady state, so the law is reached as N grows.
TEST(SlopeLaw, IsReachedOnTheFirstLinkAsMicroBatchesGrow) {
  Parallelism parallelism;
  parallelism.pipeline = 8;
  const auto per_micro_batch = [&](int few, int many) {
    parallelism.micro_batches = few;
    const double with_few = slope(pipeline_orders(parallelism), even_times(8, ten), 0);
    parallelism.micro_batches = many;
    const double with_many = slope(pipeline_orders(parallelism), even_times(8, ten), 0);
    return (with_many - with_few) / (many - few);
  };
  EXPECT_NEAR(2.0 / (1 + 1), per_micro_batch(48, 96), 1e-9);
  parallelism.schedule = PipelineSchedule::warm_up;
  parallelism.warm_ups = {15, 13, 11, 9, 7, 5, 3, 1};
  EXPECT_NEAR(2.0 / (2 + 1), per_micro_batch(48, 96), 1e-9);
}

// arXiv 2504.19232, initial planning: a memory of 2S activations gives 16,13,11,...; 2S - 1 gives D
// = 2 everywhere.
TEST(WarmUps, SpreadTheMemoryOfTheFirstStageOverTheLinks) {
  EXPECT_EQ((std::vector<int>{16, 13, 11, 9, 7, 5, 3, 1}), initial_warm_ups(16, 8));
  EXPECT_EQ((std::vector<int>{15, 13, 11, 9, 7, 5, 3, 1}), initial_warm_ups(15, 8));
  EXPECT_EQ((std::vector<int>{7, 5, 3, 1}), initial_warm_ups(7, 4));
  EXPECT_EQ((std::vector<int>{4, 3, 2, 1}), initial_warm_ups(4, 4));
}

// arXiv 2504.19232, algorithm 2, even stages: D = min(N - 2S, max(ceil((20 + 2c)/20), 2)).
// c = 0: 2; c = 10: 2; c = 20: 3; c = 30: 4 = N - 2S; c = 60: 7, held to 4.
TEST(WarmUps, GrowWhereALinkIsSlow) {
  const PipelineTimes times = even_times(4, ten);
  const auto adapted = [&](Seconds delay) {
    return adapted_warm_ups(12, with_delay(times, 1, delay));
  };
  EXPECT_EQ((std::vector<int>{7, 5, 3, 1}), adapted(0_ms));
  EXPECT_EQ((std::vector<int>{7, 5, 3, 1}), adapted(10_ms));
  EXPECT_EQ((std::vector<int>{8, 6, 3, 1}), adapted(20_ms));
  EXPECT_EQ((std::vector<int>{9, 7, 3, 1}), adapted(30_ms));
  EXPECT_EQ((std::vector<int>{9, 7, 3, 1}), adapted(60_ms));
}

// arXiv 2504.19232, equation 1, even stages: c <= (D - 1) t. D = 2, t = 10 ms: 10 ms is absorbed,
// 11 is not.
TEST(WarmUps, AbsorbADelayUpToSlacknessMinusOnePasses) {
  const PipelineTimes times = even_times(4, ten);
  EXPECT_EQ((std::vector<bool>{true, true, true}),
            absorbed_delays({7, 5, 3, 1}, with_delay(times, 0, 10_ms)));
  EXPECT_EQ((std::vector<bool>{false, true, true}),
            absorbed_delays({7, 5, 3, 1}, with_delay(times, 0, 11_ms)));
}

// What Algorithm 2 is for: an absorbed delay costs about itself, a delay that cascades N times
// more. N=24, S=8, 30 ms on link 6-7: D = 4.
TEST(WarmUps, AdaptedToADelayMakeItCheap) {
  const PipelineTimes slow = with_delay(even_times(8, ten), 6, 30_ms);
  const std::vector<int> adapted = adapted_warm_ups(24, slow);
  EXPECT_EQ((std::vector<int>{17, 15, 13, 11, 9, 7, 5, 1}), adapted);
  const Seconds unadapted =
      pipeline_time(list_schedule({15, 13, 11, 9, 7, 5, 3, 1}, 24, even_times(8, ten)), slow);
  const Seconds replanned = pipeline_time(list_schedule(adapted, 24, slow), slow);
  const Seconds undisturbed = pipeline_time(
      list_schedule({15, 13, 11, 9, 7, 5, 3, 1}, 24, even_times(8, ten)), even_times(8, ten));
  EXPECT_LT(replanned - undisturbed, 2.0 * 30_ms);
  EXPECT_GT(unadapted - undisturbed, 5.0 * 30_ms);
}

}  // namespace
}  // namespace quintet
