// Where gradients are clipped, and what waits for it (arXiv 2402.02447): BERT-large on 16 A100.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/simulate/predict.h"
#include "tests/support/shipped.h"

namespace quintet::test {
namespace {

Plan plan_of(Clipping clipping) {
  Plan plan;
  plan.parallelism.data = 16;
  plan.parallelism.sequence_length = 512;
  plan.parallelism.micro_batch = 8;
  plan.parallelism.compute_type = plan.parallelism.gradient_type = DataType::fp16;
  plan.parallelism.clipping = clipping;
  plan.ccl.bucket = Bytes{25e6};
  return plan;
}

Prediction predicted(const Plan& plan) {
  return required(predict(shipped_model("bert-large"), plan, shipped_topology("dgx-a100", 2),
                          shipped_costs("a100-sxm-80gb")));
}

// Of one rank, in order of start.
std::vector<Span> spans_of(const Timeline& timeline, const std::string& name) {
  std::vector<Span> found;
  for (const Span& span : timeline.spans)
    if (span.track == 0 && timeline.infos[static_cast<std::size_t>(span.info)].name == name)
      found.push_back(span);
  return found;
}

std::vector<Span> backward_of(const Timeline& timeline) {
  std::vector<Span> found;
  for (const Span& span : timeline.spans) {
    const SpanInfo& info = timeline.infos[static_cast<std::size_t>(span.info)];
    const bool backward = info.phase == Phase::input_gradient ||
                          info.phase == Phase::weight_gradient || info.phase == Phase::backward;
    if (span.track == 0 && info.kind == SpanKind::compute && backward) found.push_back(span);
  }
  return found;
}

Instant latest_end(const std::vector<Span>& spans) {
  Instant latest;
  for (const Span& span : spans) latest = std::max(latest, span.end);
  return latest;
}

// The last kernel of the rank's compute lane that was over when this one began.
Instant end_before(const std::vector<Span>& kernels, const Span& span) {
  Instant latest;
  for (const Span& kernel : kernels)
    if (kernel.end <= span.start) latest = std::max(latest, kernel.end);
  return latest;
}

// Norm, clip, sum, for each bucket: the norm follows the backward kernel that fills the bucket, and
// the sum is taken up when the clip is done or the sum before it is, whichever is later.
TEST(Clipping, ByBucketSendsEachAsSoonAsBackwardHasFilledIt) {
  const Prediction prediction = predicted(plan_of(Clipping::per_bucket));
  const Timeline& timeline = prediction.timeline;
  const std::vector<Span> norms = spans_of(timeline, "gradient_norm update");
  const std::vector<Span> clips = spans_of(timeline, "gradient_clip update");
  const std::vector<Span> sums = spans_of(timeline, "all-reduce gradients");
  const std::vector<Span> backward = backward_of(timeline);
  ASSERT_GT(sums.size(), 20U);  // 336 million parameters, 672 MB
  ASSERT_EQ(norms.size(), sums.size());
  ASSERT_EQ(clips.size(), sums.size());
  const Duration gap{20'000'000};  // 20 us, for launches
  for (std::size_t at = 0; at < sums.size(); ++at) {
    EXPECT_EQ(sums[at].bucket, clips[at].bucket);
    // Pieces of one bucket are clipped together.
    std::size_t last = at;
    while (last + 1 < clips.size() && clips[last + 1].bucket == clips[at].bucket) ++last;
    const Instant ready = std::max(clips[last].end, at > 0 ? sums[at - 1].end : Instant{});
    EXPECT_GE(sums[at].start, clips[last].end);
    EXPECT_LE(sums[at].start - ready, gap) << "bucket " << sums[at].bucket;
    if (at > 0 && norms[at].bucket == norms[at - 1].bucket) continue;
    EXPECT_LE(norms[at].start -
                  std::max(end_before(backward, norms[at]), at > 0 ? clips[at - 1].end : Instant{}),
              gap);
  }
  EXPECT_LT(sums.front().start, latest_end(backward));
}

TEST(Clipping, AfterTheReductionTheUpdateWaitsForTheNormOfAll) {
  const Prediction prediction = predicted(plan_of(Clipping::after_reduction));
  const std::vector<Span> norms = spans_of(prediction.timeline, "gradient_norm update");
  const std::vector<Span> sums = spans_of(prediction.timeline, "all-reduce gradients");
  ASSERT_EQ(norms.size(), 1U);
  EXPECT_GE(norms.front().start, latest_end(sums));
  EXPECT_LT(sums.front().start, latest_end(backward_of(prediction.timeline)));
}

TEST(Clipping, BeforeTheReductionNothingLeavesBeforeTheLastGradient) {
  const Prediction prediction = predicted(plan_of(Clipping::before_reduction));
  const std::vector<Span> clips = spans_of(prediction.timeline, "gradient_clip update");
  const std::vector<Span> sums = spans_of(prediction.timeline, "all-reduce gradients");
  ASSERT_EQ(clips.size(), 1U);
  EXPECT_GE(clips.front().start, latest_end(backward_of(prediction.timeline)));
  EXPECT_GE(sums.front().start, clips.front().end);
}

// Between hosts of one slow port, where sums are long beside backward.
TEST(Clipping, ByBucketIsTheFastestOverSlowLinks) {
  const auto step = [](Clipping clipping) {
    Plan plan = plan_of(clipping);
    plan.parallelism.data = 4;
    const Topology box = shipped_topology("box-4-1gbit");
    return required(predict(shipped_model("bert-large"), plan, box, shipped_costs("a100-sxm-80gb")))
        .summary.step;
  };
  EXPECT_LT(step(Clipping::per_bucket), step(Clipping::after_reduction));
  EXPECT_LT(step(Clipping::after_reduction), step(Clipping::before_reduction));
}

int calls_of(const Program& program, BodyKind kind) {
  int calls = 0;
  for (const Call& call : program.roles.front().script.calls)
    if (program.bodies[call.body.index()].kind == kind) calls += call.layers;
  return calls;
}

// Four micro-batches: the buckets of three are kept, those of the last leave.
TEST(Clipping, ByBucketClipsEachMicroBatch) {
  Plan plan = plan_of(Clipping::per_bucket);
  plan.parallelism.micro_batches = 4;
  const Program program = compile(shipped_model("bert-large"), plan);
  EXPECT_TRUE(faults(program).empty());
  const int leaving = calls_of(program, BodyKind::prepare_gradients);
  EXPECT_GT(leaving, 20);
  EXPECT_EQ(calls_of(program, BodyKind::keep_gradients), 3 * leaving);
  plan.parallelism.clipping = Clipping::after_reduction;
  EXPECT_EQ(calls_of(compile(shipped_model("bert-large"), plan), BodyKind::keep_gradients), 0);
}

// A norm of all that is summed tells of an overflow; one number is added where ranks hold others'.
TEST(Clipping, LossScalingAsksForANormWhereClippingDoesNot) {
  const auto bodies = [](Clipping clipping) {
    Plan plan = plan_of(clipping);
    plan.parallelism.loss_scaling = true;
    std::vector<std::string> names;
    for (const Body& body : compile(shipped_model("bert-large"), plan).bodies)
      if (body.name == "unscale" || body.name == "clip") names.push_back(body.name);
    return names;
  };
  EXPECT_EQ(bodies(Clipping::none), std::vector<std::string>{"unscale"});
  EXPECT_EQ(bodies(Clipping::per_bucket), std::vector<std::string>{"unscale"});
  EXPECT_EQ(bodies(Clipping::after_reduction), std::vector<std::string>{"clip"});
  EXPECT_EQ(bodies(Clipping::before_reduction), (std::vector<std::string>{"clip", "unscale"}));
}

// Forward passes over 512 samples on 16 GPUs in micro-batches of 8, 4 each: as long as the forward
// part of a step of 4 micro-batches, which is about a third of that step's kernels.
TEST(Evaluation, IsForwardPasses) {
  Plan plan = plan_of(Clipping::none);
  plan.run.evaluation = {.every = 10'000, .samples = 512};
  const double evaluation = predicted(plan).evaluation.value;
  EXPECT_EQ(predicted(plan_of(Clipping::none)).evaluation, Seconds{});
  plan.parallelism.micro_batches = 4;
  const Prediction step = predicted(plan);
  EXPECT_EQ(step.evaluation.value, evaluation);
  double forward = 0;
  for (const Span& span : step.timeline.spans) {
    const SpanInfo& info = step.timeline.infos[static_cast<std::size_t>(span.info)];
    if (span.track == 0 && info.kind == SpanKind::compute && info.phase == Phase::forward)
      forward += seconds(span.end - span.start).value;
  }
  EXPECT_NEAR(evaluation / forward, 1.03, 0.03);  // and what finds the loss
  // Half as many sequences stand for the samples: half as many are passed.
  plan.run.batch = 2 * 16 * 8 * 4;
  EXPECT_NEAR(predicted(plan).evaluation.value / evaluation, 0.5, 0.05);
}

// 336 million parameters of BERT-large with its heads: 4 bytes of weight and twice 4 of moments.
TEST(Checkpoint, KeepsWeightsAndMomentsOnce) {
  EXPECT_NEAR(predicted(plan_of(Clipping::none)).checkpoint.value / (336.2e6 * 12), 1, 0.001);
}

}  // namespace
}  // namespace quintet::test
