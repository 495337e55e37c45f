// Bucket-wise clipping before the reduction (BWGC, arXiv 2402.02447) against its arithmetic, done
// here on gradients that unclipped steps gave; overflow under every kind of clipping.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/program/groups.h"
#include "tests/support/toy_layout.h"

namespace quintet::engine::test {
namespace {

using Flat = std::vector<double>;  // by flat element

// SGD without momentum and decay, learning rate 1: what a step takes off is the gradient it uses.
Toy plain_sgd(Model model, const Layout& layout, Clipping clipping) {
  Toy made = laid_out(toy(std::move(model)), layout);
  made.plan.parallelism.optimizer = Optimizer::sgd;
  made.plan.parallelism.clipping = clipping;
  made.optimizer.rule = UpdateRule::sgd;
  made.optimizer.learning_rate = 1;
  made.optimizer.weight_decay = 0;
  made.optimizer.momentum = 0;
  return made;
}

Flat weights_of(RankExecutor& executor) {
  Flat all(static_cast<std::size_t>(executor.layout().count()));
  for (const KeptStretch& part : executor.state().kept()) {
    const Section& section = executor.layout().sections()[static_cast<std::size_t>(part.section)];
    for (Index at = 0; at < part.count; ++at)
      all[static_cast<std::size_t>(section.begin + part.place + at)] =
          static_cast<double>(part.weights[at]);
  }
  return all;
}

// What one step takes off the weights of rank 0.
Flat used_gradient(const Toy& toy, const std::vector<StepInput>& inputs) {
  const Program program = program_of(toy);
  Flat taken;
  train_in_threads(program, 0, [&](Rank rank, CommunicationBackend& backend) {
    const auto kernels = kernels::reference_kernels();
    const auto executor =
        std::move(*RankExecutor::make(executor_input(toy, program, rank), *kernels, backend));
    const Flat before = weights_of(*executor);
    const auto report = executor->step(
        inputs[static_cast<std::size_t>(coordinate(program.grid, rank, Axis::data))]);
    EXPECT_TRUE(report) << report.error().text();
    const Flat after = weights_of(*executor);
    if (rank.value > 0) return RankCurve{};
    for (std::size_t at = 0; at < before.size(); ++at) taken.push_back(before[at] - after[at]);
    return RankCurve{};
  });
  return taken;
}

std::vector<StepInput> inputs_of(const Toy& toy) {
  std::vector<StepInput> inputs;
  for (int replica = 0; replica < toy.plan.parallelism.data; ++replica)
    inputs.push_back(step_input(toy, 0, replica));
  return inputs;
}

// One micro-batch alone on one rank, its loss divided by all of the step's targets.
Flat micro_gradient(const Toy& whole, const StepInput& input, std::size_t micro) {
  Toy alone = plain_sgd(whole.model, {.name = "alone", .type = whole.plan.parallelism.compute_type},
                        Clipping::none);
  alone.plan.parallelism.micro_batches = 1;
  return used_gradient(alone, {{{input.micro_batches[micro]}, input.targets}});
}

// Each once, although shares of gradients leave with every micro-batch.
std::vector<ElementRange> buckets_of(const Toy& toy) {
  std::vector<ElementRange> found;
  const Program program = program_of(toy);
  for (const Call& call : program.roles.front().script.calls)
    for (int iteration = 0; iteration < call.layers; ++iteration) {
      if (program.bodies[call.body.index()].kind != BodyKind::prepare_gradients) continue;
      const ElementRange range = quintet::elements_of(call, iteration).front();
      if (std::find(found.begin(), found.end(), range) == found.end()) found.push_back(range);
    }
  return found;
}

// The form of arXiv 2402.02447's code: of A micro-batches on each of W ranks, with B buckets,
//   mean over ranks of (mean over micro-batches of g' min(1, (L / sqrt(B)) / |g'|)),
// g' a bucket of the rank's own mean gradient of that micro-batch: W A times its share of the sum.
Flat expected(const Toy& toy) {
  const auto buckets = buckets_of(toy);
  const double most = static_cast<double>(toy.optimizer.maximum_norm) /
                      std::sqrt(static_cast<double>(buckets.size()));
  Flat sum;
  for (const StepInput& input : inputs_of(toy))
    for (std::size_t micro = 0; micro < input.micro_batches.size(); ++micro) {
      const Flat gradient = micro_gradient(toy, input, micro);
      sum.resize(gradient.size());
      const double parts = toy.plan.parallelism.data * toy.plan.parallelism.micro_batches;
      for (const ElementRange& bucket : buckets) {
        double square = 0;
        for (auto at = bucket.begin; at < bucket.end; ++at)
          square += std::pow(parts * gradient[static_cast<std::size_t>(at)], 2);
        const double factor = std::min(1.0, most / std::sqrt(square));
        for (auto at = bucket.begin; at < bucket.end; ++at)
          sum[static_cast<std::size_t>(at)] += gradient[static_cast<std::size_t>(at)] * factor;
      }
    }
  return sum;
}

double norm(const Flat& of) {
  double square = 0;
  for (const double each : of) square += each * each;
  return std::sqrt(square);
}

double distance(const Flat& left, const Flat& right) {
  Flat difference(left.size());
  for (std::size_t at = 0; at < left.size(); ++at) difference[at] = left[at] - right[at];
  return norm(difference);
}

// Eight micro-batches on one rank, four on each of two, one on each of eight. Thresholds that clip
// all, some (the head's and the embedding's gradients are the largest) and none. The weights that a
// step's difference is taken of are about 0.1 in fp32: each of 40,000 elements is known to 1e-8.
TEST(BucketClipping, ClipsEachMicroBatchOfEachRankByBuckets) {
  for (const Layout& how :
       {Layout{.name = "one", .bucket = 20e3}, Layout{.name = "dp2", .data = 2, .bucket = 20e3},
        Layout{.name = "dp8", .data = 8, .bucket = 20e3},
        Layout{.name = "dp2 in pieces", .data = 2, .bucket = 6e3}})
    for (const float largest : {0.05F, 2.0F, 1e6F}) {
      Toy made = plain_sgd(toy_bert(), how, Clipping::per_bucket);
      made.optimizer.maximum_norm = largest;
      const auto inputs = inputs_of(made);
      const Flat used = used_gradient(made, inputs);
      const Flat wanted = expected(made);
      EXPECT_GT(buckets_of(made).size(), 2U);
      EXPECT_LT(distance(used, wanted), 1e-5 * norm(wanted) + 3e-6)
          << how.name << " to " << largest << ": " << norm(used) << " for " << norm(wanted);
      if (largest < 0.1F) {
        EXPECT_LE(norm(used), 0.05 * (1 + 1e-4));
      }
    }
}

// Shares are clipped with the whole bucket, before they leave: the losses are the unsharded run's.
// Buckets of 30 kB are cut as sharded parameters are, by layers of 34 kB.
TEST(BucketClipping, IsTheSameWhereTheStateIsShared) {
  const auto curve = [](Sharding sharding) {
    Toy made =
        plain_sgd(toy_bert(), {.name = "dp2", .data = 2, .sharding = sharding, .bucket = 30e3},
                  Clipping::per_bucket);
    made.optimizer.maximum_norm = 0.5F;
    made.optimizer.learning_rate = 0.1F;
    const Curve trained = train(made, 5);
    EXPECT_FALSE(trained.error) << trained.error->text();
    return trained.losses;
  };
  const std::vector<double> whole = curve(Sharding::none);
  EXPECT_LT(whole.back(), whole.front());
  for (const Sharding sharding : {Sharding::optimizer, Sharding::gradients, Sharding::parameters}) {
    const std::vector<double> shared = curve(sharding);
    for (std::size_t step = 0; step < whole.size(); ++step)
      EXPECT_NEAR(shared[step] / whole[step], 1, 1e-6) << static_cast<int>(sharding);
  }
}

// Gradients of bf16's own micro-batches, clipped here in double; the sum over replicas rounds to
// 2^-9.
TEST(BucketClipping, HoldsInHalfPrecision) {
  Toy made =
      plain_sgd(toy_bert(), {.name = "dp2", .data = 2, .bucket = 20e3}, Clipping::per_bucket);
  made.plan.parallelism.compute_type = made.plan.parallelism.gradient_type = DataType::bf16;
  for (const float largest : {0.05F, 2.0F}) {
    made.optimizer.maximum_norm = largest;
    const Flat wanted = expected(made), used = used_gradient(made, inputs_of(made));
    EXPECT_LT(distance(used, wanted), 0.01 * norm(wanted)) << largest;
  }
}

std::vector<Toy> each_clipping(const Layout& layout) {
  std::vector<Toy> made;
  for (const Clipping clipping : {Clipping::none, Clipping::after_reduction,
                                  Clipping::before_reduction, Clipping::per_bucket}) {
    made.push_back(laid_out(toy(toy_bert()), layout));
    made.back().plan.parallelism.clipping = clipping;
    made.back().plan.parallelism.loss_scaling = true;
  }
  return made;
}

const std::vector<Layout> layouts{
    {.name = "one", .bucket = 20e3},
    {.name = "dp2", .data = 2, .bucket = 20e3},
    {.name = "zero1 dp2", .data = 2, .sharding = Sharding::optimizer, .bucket = 20e3},
    {.name = "zero2 dp2", .data = 2, .sharding = Sharding::gradients, .bucket = 20e3},
    {.name = "tp2 pp2 dp2", .tensor = 2, .pipeline = 2, .data = 2, .bucket = 20e3},
};

// Powers of two change no digit of an fp32 gradient, nor of a norm.
TEST(LossScaling, ChangesNothingUnderAnyClipping) {
  for (const Layout& layout : layouts)
    for (const Toy& plain : each_clipping(layout)) {
      Toy with = plain;
      with.optimizer.loss_scaling = {.initial = 1024, .growth = 2};
      const Curve left = train(plain, 4), right = train(with, 4);
      ASSERT_FALSE(left.error) << left.error->text();
      ASSERT_FALSE(right.error) << right.error->text();
      EXPECT_EQ(left.losses, right.losses)
          << layout.name << " " << name_of(plain.plan.parallelism.clipping);
    }
}

struct Overflow {
  std::vector<bool> updated;
  std::vector<double> scales;
};

// In the second of four steps rank 0's replica alone has gradients 1e38 times as large.
std::vector<Overflow> with_one_overflow(const Toy& toy) {
  const Program program = program_of(toy);
  std::vector<Overflow> ranks(static_cast<std::size_t>(world_size(program.grid)));
  train_in_threads(program, 0, [&](Rank rank, CommunicationBackend& backend) {
    const auto kernels = kernels::reference_kernels();
    const auto executor =
        std::move(*RankExecutor::make(executor_input(toy, program, rank), *kernels, backend));
    const int replica = coordinate(program.grid, rank, Axis::data);
    Overflow& here = ranks[static_cast<std::size_t>(rank.value)];
    for (int step = 0; step < 4; ++step) {
      StepInput input = step_input(toy, step, replica);
      if (step == 1 && replica == 0) input.targets *= 1e-38;
      const auto report = executor->step(input);
      EXPECT_TRUE(report) << report.error().text();
      here.updated.push_back(report->updated);
      here.scales.push_back(report->loss_scale);
      for (const double weight : weights_of(*executor)) EXPECT_TRUE(std::isfinite(weight));
    }
    return RankCurve{};
  });
  return ranks;
}

// All ranks leave out that step, go on with half the scale, and no weight is lost.
TEST(LossScaling, AnOverflowOnOneRankIsEveryRanksUnderAnyClipping) {
  for (const Layout& layout : layouts)
    for (const DataType type : {DataType::fp32, DataType::bf16})
      for (Toy toy : each_clipping(layout)) {
        toy.optimizer.loss_scaling = {.initial = 1024, .growth = 2};
        toy.plan.parallelism.compute_type = toy.plan.parallelism.gradient_type = type;
        for (const Overflow& rank : with_one_overflow(toy)) {
          EXPECT_EQ(rank.updated, (std::vector<bool>{true, false, true, true}))
              << layout.name << " " << name_of(toy.plan.parallelism.clipping);
          EXPECT_EQ(rank.scales, (std::vector<double>{1024, 1024, 512, 512}));
        }
      }
}

// The chain norm, clip, all-reduce of a bucket: nothing else begins on the rank between the clip
// and the all-reduce's start, and the first is clipped before backward is over. (When its sum
// begins is the slowest rank's doing: eight share two cores.)
TEST(BucketClipping, SendsABucketAsSoonAsItIsFull) {
  Toy made =
      plain_sgd(toy_bert(), {.name = "dp8", .data = 8, .bucket = 20e3}, Clipping::per_bucket);
  const Program program = program_of(made);
  const Curve curve = train(made, 1);
  ASSERT_FALSE(curve.error) << curve.error->text();
  std::vector<std::string> names;
  for (const Body& body : program.bodies)
    for (const Instruction& instruction : body.instructions) names.push_back(instruction.name);
  for (const std::vector<Span>& rank : curve.last_spans) {
    const auto named = [&](const Span& span) { return names[static_cast<std::size_t>(span.info)]; };
    Instant last_backward;
    for (const Span& span : rank)
      if (named(span) == "embedding backward") last_backward = std::max(last_backward, span.end);
    int sent = 0;
    for (const Span& sum : rank) {
      if (named(sum) != "all-reduce gradients") continue;
      ++sent;
      Instant clipped;  // the last of its clips before it
      for (const Span& span : rank)
        if (named(span) == "gradient_clip update" && span.bucket == sum.bucket &&
            span.end <= sum.start)
          clipped = std::max(clipped, span.end);
      EXPECT_LT(Instant{}, clipped);
      const bool lane_was_busy = std::any_of(rank.begin(), rank.end(), [&](const Span& other) {
        return named(other) == "all-reduce gradients" && other.start < sum.start &&
               clipped < other.end;
      });
      for (const Span& span : rank)
        EXPECT_FALSE(!lane_was_busy && clipped < span.start && span.start < sum.start)
            << named(span) << " before bucket " << sum.bucket << " leaves";
      if (sum.bucket == 0) {
        EXPECT_LT(clipped, last_backward);
      }
    }
    EXPECT_EQ(static_cast<std::size_t>(sent), buckets_of(made).size());
  }
}

}  // namespace
}  // namespace quintet::engine::test
