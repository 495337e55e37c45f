// Training by whole programs, ranks as threads: what replicators are where they leave nothing out,
// that replicas agree, and that they learn.
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>

#include "tests/engine/replication/usual_replicators.h"

namespace quintet::engine::test {
namespace {

constexpr int few_steps = 8;

Curve trained(const Toy& toy, int how_many = few_steps) {
  Curve curve = train(toy, how_many);
  EXPECT_FALSE(curve.error) << curve.error->text();
  return curve;
}

// With nothing left out of what is sent, and nothing left of the momentum, the mean of all
// replicas' gradients is what a single rank has; with SGD so is the mean of their weights.
NamedReplicators complete() {
  using enum ReplicatorKind;
  return {
      {"demo", {.kind = demo, .chunk = 8, .top_k = 64, .decay = 0, .sign = false}},
      {"random", {.kind = random, .rate = 1, .decay = 0, .sign = false}},
      {"striding", {.kind = striding, .rate = 1, .decay = 0, .sign = false}},
      {"diloco", {.kind = diloco, .outer_rate = 1, .outer_momentum = 0}},
  };
}

TEST(Replication, ThatSendAllTrainTheSingleRanksModel) {
  const Curve single = trained(plain(toy_llama(), UpdateRule::sgd));
  ASSERT_LT(single.losses.back(), single.losses.front());
  for (const auto& [name, replicator] : complete())
    for (const Layout& layout : replicated_layouts()) {
      if (is_refused(layout, replicator)) continue;
      Replicator here = replicator;
      if (layout.sharding_group > 1) here.top_k = here.chunk;
      const Curve curve = trained(replicated(plain(toy_llama(), UpdateRule::sgd), layout, here));
      for (std::size_t step = 0; step < few_steps; ++step)
        EXPECT_NEAR(curve.losses[step] / single.losses[step], 1.0, 1e-5)
            << name << " " << layout.name << " step " << step;
    }
}

// Each rank's weights after the last step, by rank.
std::vector<std::vector<float>> weights_after(const Toy& toy, int how_many) {
  const Program program = program_of(toy);
  std::vector<std::vector<float>> weights(static_cast<std::size_t>(world_size(program.grid)));
  const Curve curve = train_in_threads(
      program, how_many, [&](Rank rank, CommunicationBackend& backend) -> RankCurve {
        const auto kernels = kernels::fast_kernels();
        auto executor = RankExecutor::make(executor_input(toy, program, rank), *kernels, backend);
        if (!executor) {
          RankCurve failed;
          failed.error = executor.error();
          backend.abort(executor.error());
          return failed;
        }
        RankCurve mine = train_rank(toy, program, rank, **executor, how_many);
        for (const KeptStretch& kept : (*executor)->state().kept())
          weights[rank.index()].insert(weights[rank.index()].end(), kept.weights,
                                       kept.weights + kept.count);
        return mine;
      });
  EXPECT_FALSE(curve.error) << curve.error->text();
  return weights;
}

// Bit for bit, after a step that has an exchange; between two of them only where all are equal.
TEST(Replicas, AgreeAfterAnExchange) {
  for (const auto& [name, replicator] : usual_replicators()) {
    const Layout layout{.name = "dp3", .data = 2, .bucket = 9e3};
    const Toy toy = replicated(plain(toy_gpt2(), UpdateRule::adamw), layout, replicator);
    const auto after_four = weights_after(toy, 4);
    const bool average = replicator.kind != ReplicatorKind::full;
    EXPECT_EQ(after_four[0] == after_four[1], average) << name;
    const auto after_five = weights_after(toy, 5);
    EXPECT_EQ(after_five[0] == after_five[1], replicator.every == 1) << name;
  }
}

TEST(Replicas, GoTheirOwnWaysWhereNothingIsExchanged) {
  const Toy toy = replicated(plain(toy_gpt2(), UpdateRule::adamw), {.name = "dp2", .data = 2},
                             {.kind = ReplicatorKind::none});
  const auto weights = weights_after(toy, 2);
  EXPECT_NE(weights[0], weights[1]);
}

TEST(Replication, Learn) {
  for (const auto& [name, replicator] : usual_replicators())
    for (const UpdateRule rule : {UpdateRule::sgd, UpdateRule::adamw}) {
      Toy made = plain(toy_gpt2(), rule);
      if (rule == UpdateRule::sgd && keeps_momentum(replicator.kind))
        made.optimizer.learning_rate = 3e-3F;  // of signs
      const Toy toy = replicated(made, {.name = "dp2", .data = 2}, replicator);
      const Curve curve = trained(toy, 40);
      EXPECT_LT(curve.losses.back(), 0.9 * curve.losses.front())
          << name << " " << (rule == UpdateRule::sgd ? "sgd" : "adamw");
    }
}

TEST(Replication, TakeClippedGradients) {
  Toy made = plain(toy_gpt2(), UpdateRule::sgd);
  made.plan.parallelism.clipping = Clipping::before_reduction;
  const Layout layout{.name = "dp2", .data = 2};
  const Replicator all{.kind = ReplicatorKind::random, .rate = 1, .decay = 0, .sign = false};
  const Curve curve = trained(replicated(made, layout, all));
  const Curve summed = trained(laid_out(made, layout));
  made.plan.parallelism.clipping = Clipping::none;
  const Curve unclipped = trained(laid_out(made, layout));
  EXPECT_GT(std::abs(unclipped.losses.back() - summed.losses.back()), 1e-3);
  for (std::size_t step = 0; step < few_steps; ++step)
    EXPECT_NEAR(curve.losses[step] / summed.losses[step], 1.0, 1e-5) << "step " << step;
}

TEST(Replication, AreRefusedUnderLossScaling) {
  Toy made = replicated(plain(toy_gpt2(), UpdateRule::adamw), {.name = "dp2", .data = 2},
                        {.kind = ReplicatorKind::demo});
  made.optimizer.loss_scaling.initial = 1024;
  const Curve curve = train(made, 1);
  ASSERT_TRUE(curve.error);
  EXPECT_NE(curve.error->text().find("parallelism.replicator.kind"), std::string::npos)
      << curve.error->text();
}

TEST(Replication, WithLongerChunksThanTheKernelsTransformAreRefused) {
  const Toy toy = replicated(plain(toy_gpt2(), UpdateRule::adamw), {.name = "dp2", .data = 2},
                             {.kind = ReplicatorKind::demo, .chunk = 128});
  const Curve curve = train(toy, 1);
  ASSERT_TRUE(curve.error);
  EXPECT_NE(curve.error->text().find("use 64 or less"), std::string::npos) << curve.error->text();
}

}  // namespace
}  // namespace quintet::engine::test
