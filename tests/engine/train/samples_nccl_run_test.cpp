// Runs on documents of unequal length with a GPU's memory and streams, over NCCL: the samples that
// a rank has, and how many tokens, are others in every step, and known only when they were dealt.
#include <gtest/gtest.h>

#include <random>

#include "tests/engine/train/nccl_run.h"
#include "tests/engine/train/sampled_run.h"
#include "tests/stand_ins/on_nccl.h"

namespace quintet::engine::test {
namespace {

Steps on_nccl(const std::string& model, const std::string& layout, const std::string& draw,
              const std::string& load_balance, std::uint64_t seed) {
  SampledRun sampled(model, layout, draw, load_balance, R"(, "host_net": {"launch": "graphs"})");
  const std::optional<Error> error = NcclRun(sampled.run(), seed).train();
  return sampled.steps(error);
}

TEST(SamplesOverNccl, HaveTheLossOfTheHost) {
  std::uint64_t seed = 300;
  for (const char* const model : {small_gpt, small_bert})
    for (const char* const draw : {at_random, by_bins})
      for (const char* const dealt : {"none", "presort-in-host", "presort-globally"}) {
        SCOPED_TRACE(std::string(model).substr(0, 24) + draw + dealt);
        expect_alike(steps_of(model, four_ranks, draw, dealt),
                     on_nccl(model, four_ranks, draw, dealt, seed += 10));
      }
}

TEST(SamplesOverNccl, HaveItWithSharesOfTheWeights) {
  const std::string shared = std::string(four_ranks) + R"(, "sharding": "parameters")";
  expect_alike(steps_of(small_gpt, one_rank, by_bins, "none"),
               on_nccl(small_gpt, shared, by_bins, "presort-in-host", 700));
}

// Documents of 1 to 16 tokens, four to a micro-batch.
StepInput of_other_lengths(const Toy& toy, std::mt19937& random) {
  StepInput input = step_input(toy, 0, 0);
  for (Batch& batch : input.micro_batches) {
    Batch shorter;
    shorter.length = batch.length;
    shorter.sequences = batch.sequences;
    shorter.starts = {0};
    for (int sequence = 0; sequence < batch.sequences; ++sequence) {
      const int length = std::uniform_int_distribution(1, toy_length)(random);
      for (int place = 0; place < length; ++place) {
        const auto at = static_cast<std::size_t>(sequence * toy_length + place);
        shorter.tokens.push_back(batch.tokens[at]);
        shorter.targets.push_back(batch.targets[at]);
        shorter.positions.push_back(place);
      }
      shorter.starts.push_back(static_cast<std::int32_t>(shorter.tokens.size()));
    }
    batch = std::move(shorter);
  }
  return input;
}

// Blocks of other sizes lie otherwise in every step, in what the device gave for full ones: a step
// that asked for more would fail (arena.h, hold).
TEST(SamplesOverNccl, FitWhereFullOnesDo) {
  for (const Sharding sharding : {Sharding::none, Sharding::parameters}) {
    Toy made = toy(toy_gpt2());
    made.plan.parallelism.data = 2;
    made.plan.parallelism.micro_batch = 4;
    made.plan.parallelism.micro_batches = 2;
    made.plan.parallelism.sharding = sharding;
    made.plan.parallelism.samples.lengths = "a test's";
    OnNccl how;
    how.options.memory.more = std::size_t{16} << 10;
    std::vector<Stops> stops(2);
    how.stops = &stops;
    how.train = [&](Rank rank, RankExecutor& executor) {
      Stops& mine = stops[rank.index()];
      static_cast<void>(mine.taken());
      RankCurve curve;
      std::mt19937 random(static_cast<unsigned>(rank.value));
      for (int step = 0; step < 60 && !curve.error; ++step)
        if (const auto report = executor.step(of_other_lengths(made, random)); !report)
          curve.error = report.error();
      EXPECT_EQ(mine.taken(), std::vector<std::string>{});
      return curve;
    };
    const CurveOnNccl found = train_on_nccl(made, 0, how);
    ASSERT_FALSE(found.curve.error) << found.curve.error->text();
  }
}

}  // namespace
}  // namespace quintet::engine::test
