// Weights out of and into ranks of any layout, bit for bit.
#include <gtest/gtest.h>

#include <cstring>

#include "engine/files/weights/initial_values.h"
#include "engine/files/weights/weight_files.h"
#include "engine/saving/saved_weights.h"
#include "tests/engine/saving/job.h"
#include "tests/support/by_name.h"

namespace quintet::engine::test {
namespace {

std::vector<Layout> layouts() {
  using enum Sharding;
  return {
      {"one rank"},
      {.name = "tp2 pp2 zero1 dp2", .tensor = 2, .pipeline = 2, .data = 2, .sharding = optimizer},
      {.name = "tp4 padded vocabulary", .tensor = 4, .vocabulary_multiple = 16},
      {.name = "zero3 dp4", .data = 4, .sharding = parameters},
      {.name = "pp4 bf16", .pipeline = 4, .type = DataType::bf16},
      {.name = "zero3 tp2 dp2 in groups of 1",
       .tensor = 2,
       .data = 2,
       .sharding = parameters,
       .sharding_group = 1},
  };
}

std::string file_in(const std::filesystem::path& folder) {
  return bytes_of(folder / "model.safetensors");
}

void save(const Toy& toy, const std::filesystem::path& folder) {
  expect_success(run_job(
      toy, [&](const RankOfJob& rank) { return save_weights(rank.executor, folder, rank.peers); }));
}

class SavedWeightsOf : public testing::TestWithParam<Model> {};

// The first weights depend on the seed alone, so what every layout saves must be those of
// engine/weights: one truth.
TEST_P(SavedWeightsOf, AFreshModelAreThoseOfItsSeedInEveryLayout) {
  const Model model = GetParam();
  const TemporaryFolder straight;
  const Initialisation how = executor_input(toy(model), program_of(toy(model)), Rank{0}).initial;
  ASSERT_FALSE(quintet::save_weights(
      straight.path(), model, [&](ParameterTensor tensor) -> Result<std::vector<float>> {
        tensor.deviation *= how.deviation / initial_deviation;
        std::vector<float> values(static_cast<std::size_t>(elements(tensor.shape)));
        initial_values(tensor, whole(tensor.shape), how.seed, values);
        return values;
      }));
  for (const Layout& layout : layouts()) {
    const TemporaryFolder folder;
    save(toy_in(model, layout), folder.path());
    EXPECT_TRUE(file_in(folder.path()) == file_in(straight.path())) << layout.name;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "unfinished-weights"));
  }
}

// Trained in one layout, loaded into another, saved again: the same file.
TEST_P(SavedWeightsOf, ATrainedModelGoThroughEveryLayoutUnchanged) {
  const Model model = GetParam();
  for (const Layout& from : layouts()) {
    const TemporaryFolder first;
    expect_success(run_job(toy_in(model, from), [&](const RankOfJob& rank) {
      std::vector<double> losses;
      if (auto wrong = rank.train(0, 2, losses)) return wrong;
      return save_weights(rank.executor, first.path(), rank.peers);
    }));
    for (const Layout& to : layouts()) {
      const TemporaryFolder second;
      expect_success(run_job(toy_in(model, to), [&](const RankOfJob& rank) -> std::optional<Error> {
        const auto unread = load_weights(rank.executor, first.path());
        if (!unread) return unread.error();
        EXPECT_EQ(*unread, std::vector<std::string>{});
        return save_weights(rank.executor, second.path(), rank.peers);
      }));
      EXPECT_TRUE(file_in(first.path()) == file_in(second.path())) << from.name << " " << to.name;
    }
  }
}

// Loading means the compute copies too: the loss is that of a model which began with the weights.
TEST_P(SavedWeightsOf, AnotherSeedTrainOnAsThatSeedDoes) {
  for (const Layout& layout : layouts()) {
    Toy other = toy_in(GetParam(), layout);
    other.seed = 12;
    const TemporaryFolder folder;
    save(other, folder.path());
    const auto losses_of = [&](const Toy& toy, bool load) {
      std::vector<double> sums(3, 0.0);
      std::mutex mutex;
      expect_success(run_job(toy, [&](const RankOfJob& rank) -> std::optional<Error> {
        if (load)
          if (const auto unread = load_weights(rank.executor, folder.path()); !unread)
            return unread.error();
        std::vector<double> losses;
        if (auto wrong = rank.train(0, 3, losses)) return wrong;
        const std::scoped_lock lock(mutex);
        if (coordinate(rank.program.grid, rank.peers.rank(), Axis::data) == 0)
          for (std::size_t step = 0; step < 3; ++step)
            sums[step] = std::max(sums[step], losses[step]);
        return std::nullopt;
      }));
      return sums;
    };
    EXPECT_EQ(losses_of(toy_in(GetParam(), layout), true), losses_of(other, false)) << layout.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SavedWeightsOf,
                         testing::Values(toy_gpt2(), toy_llama(), toy_bert()), by_name);

TEST(SavedWeights, MayBeSeveralFilesOfSixteenBits) {
  const Model model = toy_llama();
  const TemporaryFolder folder;
  expect_success(run_job(toy_in(model, {.name = "tp2", .tensor = 2}), [&](const RankOfJob& rank) {
    return save_weights(rank.executor, folder.path(), rank.peers, {StoredType::bf16, Bytes{20e3}});
  }));
  const Result<WeightFiles> files = WeightFiles::open(folder.path());
  ASSERT_TRUE(files) << files.error().text();
  EXPECT_EQ(files->tensor("lm_head.weight").type, StoredType::bf16);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "model-00001-of-00004.safetensors"));
}

TEST(SavedWeights, TheRankThatCannotWriteIsNamedEverywhere) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "taken", "a file where the folder should be");
  const std::vector<std::optional<Error>> errors =
      run_job(toy_in(toy_llama(), {.name = "dp2", .data = 2}), [&](const RankOfJob& rank) {
        return save_weights(rank.executor, folder.path() / "taken", rank.peers);
      });
  for (const std::optional<Error>& error : errors) {
    ASSERT_TRUE(error);
    EXPECT_TRUE(error->text().starts_with("rank 0: " + (folder.path() / "taken").string()))
        << error->text();
    EXPECT_TRUE(error->text().ends_with("Not a directory")) << error->text();
  }
}

TEST(LoadedWeights, AMissingFileIsNamedWithTheRank) {
  const std::vector<std::optional<Error>> errors =
      run_job(toy(toy_llama()), [&](const RankOfJob& rank) -> std::optional<Error> {
        return load_weights(rank.executor, "/nowhere/model.safetensors").error();
      });
  EXPECT_EQ(errors.front()->text(),
            "rank 0: /nowhere/model.safetensors: cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace quintet::engine::test
