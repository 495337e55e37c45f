// Training that stops and goes on.
#include "engine/saving/checkpoint_keeper.h"

#include <gtest/gtest.h>

#include <mutex>

#include "tests/engine/saving/job.h"
#include "tests/support/by_name.h"
#include "tests/support/small_checkpoint.h"

namespace quintet::engine::test {
namespace {

std::vector<Layout> layouts() {
  using enum Sharding;
  return {
      {"one rank"},
      {.name = "dp2", .data = 2},
      {.name = "zero1 dp4 buckets", .data = 4, .sharding = optimizer, .bucket = 9e3},
      {.name = "zero2 dp2", .data = 2, .sharding = gradients},
      {.name = "zero3 dp4", .data = 4, .sharding = parameters},
      {.name = "zero3 dp4 in groups of 2", .data = 4, .sharding = parameters, .sharding_group = 2},
      {.name = "tp2 pp2", .tensor = 2, .pipeline = 2},
      {.name = "tp2 sp dp2 pp2 zero1",
       .tensor = 2,
       .pipeline = 2,
       .data = 2,
       .sharding = optimizer,
       .sequence_parallel = true},
      {.name = "tp4 padded vocabulary", .tensor = 4, .vocabulary_multiple = 16},
      {.name = "pp2 interleaved dp2",
       .pipeline = 2,
       .data = 2,
       .schedule = PipelineSchedule::interleaved},
      {.name = "bf16", .type = DataType::bf16},
      {.name = "bf16 zero1 dp2", .data = 2, .sharding = optimizer, .type = DataType::bf16},
      {.name = "bf16 zero3 dp2 tp2",
       .tensor = 2,
       .data = 2,
       .sharding = parameters,
       .type = DataType::bf16},
      {.name = "bf16 tp2 pp2", .tensor = 2, .pipeline = 2, .type = DataType::bf16},
      {.name = "fp8 zero1 dp2", .data = 2, .sharding = optimizer, .type = DataType::fp8},
      {.name = "fp8 tp2 sp pp2",
       .tensor = 2,
       .pipeline = 2,
       .sequence_parallel = true,
       .type = DataType::fp8},
  };
}

// Sums over ranks that hold the head, in the order of ranks.
class Losses {
 public:
  void add(const RankOfJob& rank, const std::vector<double>& losses) {
    if (coordinate(rank.program.grid, rank.peers.rank(), Axis::tensor) != 0) return;
    const std::scoped_lock lock(mutex_);
    by_rank_[rank.peers.rank().value] = losses;
  }
  std::vector<double> sums() const {
    std::vector<double> sums;
    for (const auto& [rank, losses] : by_rank_) {
      sums.resize(losses.size(), 0.0);
      for (std::size_t step = 0; step < losses.size(); ++step) sums[step] += losses[step];
    }
    return sums;
  }

 private:
  std::mutex mutex_;
  std::map<int, std::vector<double>> by_rank_;
};

constexpr int stopped_at = 3, last = 6;

SamplerState sampler_at(int step) {
  return {5, step * toy_sequences};
}

// Trains up to stopped_at with a checkpoint at each step.
void train_and_save(const Toy& toy, const std::filesystem::path& folder) {
  expect_success(run_job(toy, [&](const RankOfJob& rank) -> std::optional<Error> {
    const auto keeper = keeper_in(folder, rank.peers);
    std::vector<double> losses;
    for (int step = 0; step < stopped_at; ++step) {
      if (auto wrong = rank.train(step, step + 1, losses)) return wrong;
      if (auto wrong = keeper->after_step(step + 1, rank.executor, sampler_at(step + 1)))
        return wrong;
    }
    return keeper->finish();
  }));
}

std::vector<double> losses_of_the_rest(const Toy& toy, const std::filesystem::path& folder) {
  Losses losses;
  expect_success(run_job(toy, [&](const RankOfJob& rank) -> std::optional<Error> {
    const auto keeper = keeper_in(folder, rank.peers);
    const Result<std::optional<Resumed>> resumed = keeper->resume(rank.executor);
    if (!resumed) return resumed.error();
    EXPECT_EQ((*resumed)->step, stopped_at);
    EXPECT_EQ((*resumed)->sampler, sampler_at(stopped_at));
    std::vector<double> mine;
    if (auto wrong = rank.train(stopped_at, last, mine)) return wrong;
    losses.add(rank, mine);
    return std::nullopt;
  }));
  return losses.sums();
}

std::vector<double> losses_without_a_stop(const Toy& toy) {
  Losses losses;
  expect_success(run_job(toy, [&](const RankOfJob& rank) -> std::optional<Error> {
    std::vector<double> mine;
    if (auto wrong = rank.train(0, last, mine)) return wrong;
    losses.add(rank, {mine.begin() + stopped_at, mine.end()});
    return std::nullopt;
  }));
  return losses.sums();
}

using Case = std::tuple<Model, Layout>;

class Resuming : public testing::TestWithParam<Case> {};

TEST_P(Resuming, ContinuesTheLossBitForBit) {
  const auto& [model, layout] = GetParam();
  const Toy toy = toy_in(model, layout);
  const TemporaryFolder folder;
  train_and_save(toy, folder.path());
  EXPECT_EQ(losses_of_the_rest(toy, folder.path()), losses_without_a_stop(toy));
}

struct Change {
  std::string name;
  std::function<void(Plan&)> change;
};

std::vector<Change> states_elsewhere() {
  const auto offloaded = [](Plan& plan, double share) {
    plan.parallelism.compute_type = DataType::bf16;
    plan.parallelism.offload = {.optimizer = share, .piece = Bytes{20e3}};
  };
  return {{"moments in bf16", [](Plan& p) { p.parallelism.moment_type = DataType::bf16; }},
          {"offloaded", [=](Plan& p) { offloaded(p, 1); }},
          {"half offloaded, moments in bf16", [=](Plan& p) {
             offloaded(p, 0.5);
             p.parallelism.moment_type = DataType::bf16;
           }}};
}

TEST(Resuming, ContinuesMomentsInBf16AndOnTheHostBitForBit) {
  for (const Change& where : states_elsewhere()) {
    Toy made = toy(toy_gpt2());
    made.plan.parallelism.data = 2;
    made.plan.parallelism.micro_batches = toy_sequences / 2;
    made.plan.parallelism.sharding = Sharding::optimizer;
    where.change(made.plan);
    const TemporaryFolder folder;
    train_and_save(made, folder.path());
    EXPECT_EQ(losses_of_the_rest(made, folder.path()), losses_without_a_stop(made)) << where.name;
  }
}

// Each replica's momentum, and in the middle of a period its own weights and moments.
TEST(Resuming, ContinuesReplicatorsBitForBit) {
  using enum ReplicatorKind;
  const std::vector<Replicator> kinds{{.kind = demo, .chunk = 16, .top_k = 4},
                                      {.kind = random},
                                      {.kind = striding, .every = 2},
                                      {.kind = diloco, .every = stopped_at - 1},
                                      {.kind = none}};
  for (const Replicator& replicator : kinds)
    for (const Layout& layout :
         {Layout{.name = "dp2", .data = 2}, Layout{.name = "zero1 dp4 in groups of 2",
                                            .data = 4,
                                            .sharding = Sharding::optimizer,
                                            .sharding_group = 2,
                                            .type = DataType::bf16}}) {
      Toy toy = toy_in(toy_gpt2(), layout);
      toy.plan.parallelism.clipping = Clipping::none;
      toy.plan.parallelism.replicator = replicator;
      const TemporaryFolder folder;
      train_and_save(toy, folder.path());
      EXPECT_EQ(losses_of_the_rest(toy, folder.path()), losses_without_a_stop(toy))
          << name_of(replicator.kind) << " " << layout.name;
    }
}

// Rounding what was kept in fp32 would be another run.
TEST(Resuming, WithMomentsOfAnotherTypeNamesWhatDoesNotFit) {
  Toy made = toy(toy_gpt2());
  const TemporaryFolder folder;
  train_and_save(made, folder.path());
  made.plan.parallelism.moment_type = DataType::bf16;
  const auto errors = run_job(made, [&](const RankOfJob& rank) -> std::optional<Error> {
    const auto keeper = keeper_in(folder.path(), rank.peers);
    const Result<std::optional<Resumed>> resumed = keeper->resume(rank.executor);
    return resumed ? std::nullopt : std::optional(resumed.error());
  });
  ASSERT_TRUE(errors[0]);
  EXPECT_NE(errors[0]->text().find("first_moment"), std::string::npos) << errors[0]->text();
  EXPECT_NE(errors[0]->text().find("BF16"), std::string::npos) << errors[0]->text();
}

// Whatever layout wrote it: its state, written again, is the same in every bit.
TEST_P(Resuming, InAnotherLayoutTakesEveryBitOfTheState) {
  const auto& [model, from] = GetParam();
  const TemporaryFolder first;
  train_and_save(toy_in(model, from), first.path());
  const auto before = content_of(first.path(), model);
  for (const Layout& to : layouts()) {
    const TemporaryFolder second;
    expect_success(run_job(toy_in(model, to), [&](const RankOfJob& rank) -> std::optional<Error> {
      const auto resumed = keeper_in(first.path(), rank.peers)->resume(rank.executor);
      if (!resumed) return resumed.error();
      const auto keeper = keeper_in(second.path(), rank.peers);
      if (auto wrong = keeper->save(stopped_at, rank.executor, (*resumed)->sampler)) return wrong;
      return keeper->finish();
    }));
    EXPECT_TRUE(content_of(second.path(), model) == before) << from.name << " to " << to.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, Resuming,
                         testing::Combine(testing::Values(toy_gpt2(), toy_llama(), toy_bert()),
                                          testing::ValuesIn(layouts())),
                         by_name);

// fp32 layouts compute the same losses up to rounding; AdamW turns rounding of a small gradient
// into as much as the learning rate, so a step's loss differs by more than its own rounding.
TEST(Resuming, InAnotherLayoutGoesOnWithTheSameMathematics) {
  const Model model = toy_llama();
  const TemporaryFolder folder;
  train_and_save(toy_in(model, layouts()[7]), folder.path());
  const std::vector<double> expected = losses_without_a_stop(toy_in(model, layouts()[7]));
  for (const std::size_t to : {0, 2, 4, 6, 8}) {
    const std::vector<double> found =
        losses_of_the_rest(toy_in(model, layouts()[to]), folder.path());
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t step = 0; step < found.size(); ++step)
      EXPECT_NEAR(found[step] / expected[step], 1.0, 1e-5) << layouts()[to].name;
  }
}

// Each rank of delayed scaling in fp8 has seen other numbers (float8_maxima.h): the replicas and
// tensor ranks that share a layer write a history each, of 3 factors of 4 products in so many
// steps.
std::int64_t histories(const Toy& toy) {
  const Parallelism& parallelism = toy.plan.parallelism;
  if (parallelism.compute_type != DataType::fp8) return 0;
  return std::int64_t{3} * 4 * parallelism.float8.history * toy.model.layers * parallelism.tensor *
         parallelism.data;
}

// What several ranks hold alike is written once: the pieces are as many numbers as the model has.
TEST(Saving, WritesReplicatedStateOnce) {
  const Model model = toy_gpt2();
  for (const Layout& layout : layouts()) {
    const TemporaryFolder folder;
    train_and_save(toy_in(model, layout), folder.path());
    const Result<NewestCheckpoint> newest = newest_checkpoint(folder.path());
    ASSERT_TRUE(newest) << newest.error().text();
    std::int64_t written = 0, wanted = histories(toy_in(model, layout));
    for (const ShardSummary& shard : newest->checkpoint.manifest().shards) {
      const Result<ShardFile> file = ShardFile::open(newest->checkpoint.folder(), shard);
      ASSERT_TRUE(file) << file.error().text();
      for (const StoredPiece& piece : file->pieces()) written += elements(piece.piece.box.shape);
    }
    for (const ParameterTensor& tensor : tensors_of(model)) wanted += 3 * elements(tensor.shape);
    EXPECT_EQ(written, wanted) << layout.name;
  }
}

TEST(Saving, KeepsTheNewestFew) {
  const TemporaryFolder folder;
  expect_success(
      run_job(toy_in(toy_llama(), {.name = "dp2", .data = 2}), [&](const RankOfJob& rank) {
        const auto keeper = keeper_in(folder.path(), rank.peers, 2);
        for (const int step : {1, 2, 3, 4})
          if (auto wrong = keeper->after_step(step, rank.executor, {})) return wrong;
        return keeper->finish();
      }));
  EXPECT_EQ(complete_steps(folder.path()), (std::vector<std::int64_t>{3, 4}));
}

TEST(Saving, HappensEverySoManySteps) {
  const TemporaryFolder folder;
  expect_success(run_job(toy(toy_llama()), [&](const RankOfJob& rank) -> std::optional<Error> {
    CheckpointOptions options;
    options.folder = folder.path();
    options.every = 3;
    const auto keeper = std::move(*CheckpointKeeper::make(options, rank.peers));
    for (const int step : {1, 2, 3, 4, 5, 6, 7})
      if (auto wrong = keeper->after_step(step, rank.executor, {})) return wrong;
    if (auto wrong = keeper->save(7, rank.executor, {})) return wrong;
    return keeper->finish();
  }));
  EXPECT_EQ(complete_steps(folder.path()), (std::vector<std::int64_t>{3, 6, 7}));
}

TEST(Saving, IntoAnotherRunsFolderIsRefused) {
  const TemporaryFolder folder;
  const Toy one = toy(toy_llama());
  train_and_save(one, folder.path());
  const auto errors = run_job(one, [&](const RankOfJob& rank) {
    return keeper_in(folder.path(), rank.peers)->after_step(1, rank.executor, {});
  });
  EXPECT_EQ(errors.front()->text(),
            "rank 0: " + folder.path().string() +
                ": holds the checkpoints of a run up to step 3: resume it, or choose an empty "
                "folder");
}

TEST(Resuming, WithoutACheckpointBeginsAfresh) {
  const TemporaryFolder folder;
  expect_success(run_job(toy_in(toy_llama(), {.name = "dp2", .data = 2}),
                         [&](const RankOfJob& rank) -> std::optional<Error> {
                           const auto resumed =
                               keeper_in(folder.path(), rank.peers)->resume(rank.executor);
                           if (!resumed) return resumed.error();
                           EXPECT_FALSE(*resumed);
                           return std::nullopt;
                         }));
}

TEST(Resuming, IntoAnotherModelNamesWhatDoesNotFit) {
  const TemporaryFolder folder;
  train_and_save(toy(toy_llama()), folder.path());
  Model wider = toy_llama();
  wider.feed_forward = 64;
  const auto errors =
      run_job(toy_in(wider, {.name = "dp2", .data = 2}),
              [&](const RankOfJob& rank) -> std::optional<Error> {
                return keeper_in(folder.path(), rank.peers)->resume(rank.executor).error();
              });
  for (const auto& error : errors)
    EXPECT_EQ(error->text(),
              "rank 0: " + (folder.path() / "step-00000003").string() +
                  ": \"master_weight/layers.3.mlp.gate.weight\": is F32 [48, 32], wanted is F32 "
                  "[64, 32]");
}

// The same losses after a stop also where activations are dropped; other draws are refused.
TEST(Resuming, WithDropoutWantsTheSameSeed) {
  Toy toy = toy_in(with_dropout(toy_gpt2()), {.name = "tp2 dp2", .tensor = 2, .data = 2});
  const TemporaryFolder folder;
  train_and_save(toy, folder.path());
  EXPECT_EQ(losses_of_the_rest(toy, folder.path()), losses_without_a_stop(toy));
  toy.seed = 12;
  const auto errors = run_job(toy, [&](const RankOfJob& rank) -> std::optional<Error> {
    return keeper_in(folder.path(), rank.peers)->resume(rank.executor).error();
  });
  EXPECT_EQ(errors.back()->text(),
            "rank 0: " + (folder.path() / "step-00000003").string() +
                ": was trained with seed 11, from which dropout draws, not 12: give that seed "
                "again");
}

// The scale, and how long it has stood: six steps with a doubling every second one.
TEST(Resuming, ContinuesTheLossScale) {
  Toy toy = toy_in(toy_gpt2(), {.name = "tp2", .tensor = 2});
  toy.optimizer.loss_scaling = {.initial = 4, .growth = 2, .growth_interval = 2};
  const TemporaryFolder folder;
  train_and_save(toy, folder.path());
  expect_success(run_job(toy, [&](const RankOfJob& rank) -> std::optional<Error> {
    const auto resumed = keeper_in(folder.path(), rank.peers)->resume(rank.executor);
    if (!resumed) return resumed.error();
    EXPECT_EQ(rank.executor.state().loss_scale(), (TrainingState::Scale{8, 1}));
    return std::nullopt;
  }));
}

// Every byte that means something: a flipped bit anywhere must be seen. Padding is not covered.
TEST(Resuming, GoesBackToTheCheckpointBeforeADamagedOne) {
  const TemporaryFolder folder;
  Toy two = toy_in(toy_llama(), {.name = "dp2", .data = 2});
  train_and_save(two, folder.path());
  const auto step = step_folder(folder.path(), 3);
  const auto size = std::filesystem::file_size(step / shard_name(1));
  const std::vector<std::pair<std::string, std::uintmax_t>> places{
      {shard_name(0), 0},   {shard_name(0), 9},        {shard_name(0), 17},
      {shard_name(1), 100}, {shard_name(1), size / 2}, {shard_name(1), size * 9 / 10},
      {"manifest.json", 1}, {"manifest.json", 40},     {"manifest.json", 300},
  };
  for (const auto& [file, at] : places) {
    const TemporaryFolder copy;
    std::filesystem::copy(folder.path(), copy.path() / "run",
                          std::filesystem::copy_options::recursive);
    const auto damaged = step_folder(copy.path() / "run", 3) / file;
    damage(damaged, static_cast<std::streamoff>(at));
    std::vector<Error> refused;
    expect_success(run_job(two, [&](const RankOfJob& rank) -> std::optional<Error> {
      const auto keeper = keeper_in(copy.path() / "run", rank.peers, 1);
      const auto resumed = keeper->resume(rank.executor);
      if (!resumed) return resumed.error();
      EXPECT_EQ((*resumed)->step, 2) << file << " " << at;
      if (rank.peers.rank().value == 0) refused = (*resumed)->refused;
      // The damaged one must not push out the new step 3 nor stand for it.
      std::vector<double> losses;
      if (auto wrong = rank.train(2, 3, losses)) return wrong;
      if (auto wrong = keeper->after_step(3, rank.executor, sampler_at(3))) return wrong;
      return keeper->finish();
    }));
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_TRUE(refused.front().text().starts_with(damaged.string())) << refused.front().text();
    EXPECT_TRUE(content_of(copy.path() / "run", two.model) == content_of(folder.path(), two.model));
    EXPECT_EQ(complete_steps(copy.path() / "run"), std::vector<std::int64_t>{3});
  }
}

}  // namespace
}  // namespace quintet::engine::test
