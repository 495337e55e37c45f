// What a run is told before its first step.
#include "engine/before/looks.h"

#include <gtest/gtest.h>

#include <fstream>

#include "engine/before/needed_memory.h"
#include "engine/before/output_paths.h"
#include "sim/model/parameters.h"
#include "tests/support/small_disk.h"
#include "tests/support/temporary_folder.h"

namespace quintet::engine {
namespace {

namespace fs = std::filesystem;

class Looks : public testing::Test {
 protected:
  Looks() {
    const fs::path folder = folder_.path();
    std::ofstream(folder / "config.json")
        << R"({"model_type": "gpt2", "n_layer": 4, "n_embd": 32, "n_head": 4, "n_positions": 16,
               "vocab_size": 256, "resid_pdrop": 0, "attn_pdrop": 0, "embd_pdrop": 0})";
    std::ofstream(folder / "plan.json")
        << R"({"parallelism": {"sequence_length": 16, "compute_type": "fp32", "data": 2}})";
    options_.model = folder / "config.json";
    options_.plan = folder / "plan.json";
  }
  TrainingInputs inputs() const {
    Result<TrainingInputs> read = read_training_inputs(options_);
    EXPECT_TRUE(read) << read.error().text();
    return *std::move(read);
  }

  TemporaryFolder folder_;
  TrainingOptions options_;
};

// fp32, not sharded: weights and gradients 4 bytes a parameter each, two moments 8.
TEST_F(Looks, CountTheStateOfARank) {
  const TrainingInputs read = inputs();
  const double parameters = static_cast<double>(total_parameters(read.model));
  const MemoryNeed need = needed_memory(read, options_);
  ASSERT_EQ(need.stages.size(), 1u);
  EXPECT_EQ(need.stages[0].weights.value, 4 * parameters);
  EXPECT_EQ(need.stages[0].gradients.value, 4 * parameters);
  EXPECT_EQ(need.stages[0].optimizer.value, 8 * parameters);
  EXPECT_EQ(need.of_ranks(2).value, 2 * need.of_rank().value);
}

// A checkpoint is copied by the two ranks together: 12 bytes a parameter, half on each.
TEST_F(Looks, CountCopiesOnlyWhereThereAreCheckpoints) {
  const TrainingInputs read = inputs();
  EXPECT_EQ(needed_memory(read, options_).stages[0].copies.value, 0);
  options_.checkpoint = folder_.path() / "kept";
  EXPECT_EQ(needed_memory(read, options_).stages[0].copies.value,
            6 * static_cast<double>(total_parameters(read.model)));
}

// A byte too little is too little.
TEST_F(Looks, RefuseWhatDoesNotFitUnlessToldOtherwise) {
  const TrainingInputs read = inputs();
  MachineLimits free;
  free.memory_by = "the test";
  LookOptions how;
  how.ranks_here = 2;
  free.free_memory = needed_memory(read, options_).of_ranks(2).value;
  EXPECT_TRUE(memory_line(read, options_, how, free));
  free.free_memory -= 1;
  const Result<std::string> refused = memory_line(read, options_, how, free);
  ASSERT_FALSE(refused);
  for (const char* const part :
       {"2 ranks here need", "are free by the test", "parallelism.sharding", "--memory-check off"})
    EXPECT_NE(refused.error().text().find(part), std::string::npos) << refused.error().text();
  how.memory = MemoryCheck::off;
  EXPECT_TRUE(memory_line(read, options_, how, free));
}

// One process holds both ranks' memory.
TEST_F(Looks, HoldAProcessToItsAddressSpace) {
  const TrainingInputs read = inputs();
  MachineLimits free;
  free.free_memory = 1e15;
  LookOptions how;
  how.ranks_here = 2;
  free.address_space = needed_memory(read, options_).of_rank().value;
  EXPECT_TRUE(memory_line(read, options_, how, free));
  options_.ranks = RankKind::threads;
  const Result<std::string> refused = memory_line(read, options_, how, free);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("RLIMIT_AS"), std::string::npos);
}

TEST_F(Looks, SayWhenRanksTakeTurnsOnCores) {
  MachineLimits free;
  free.usable_cores = 8;
  EXPECT_EQ(cores_line(options_, 8, free), "Cores: 8 ranks x 1 thread on 8.");
  free.quota = 1.5;
  EXPECT_EQ(cores_line(options_, 1, free),
            "Cores: 1 rank x 1 thread on 1.5 (of 8 usable ones, by the quota of a control group).");
  options_.threads = 2;
  EXPECT_EQ(cores_line(options_, 1, free),
            "Cores: 1 rank x 2 threads on 1.5 (of 8 usable ones, by the quota of a control group); "
            "they take turns.");
}

// Rank r works on GPU r: 10 bytes are too few for rank 1.
TEST_F(Looks, HoldTheRanksOfAGpuToItsMemory) {
  const TrainingInputs read = inputs();
  LookOptions how;
  how.ranks_here = 2;
  EXPECT_TRUE(gpu_memory_line(read, how, {1e9, 1e9}));
  const Result<std::string> refused = gpu_memory_line(read, how, {1e9, 10});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().where.ends_with("GPU 1")) << refused.error().text();
}

// 4 MiB do not go onto a disk of 1 MiB, whatever lies around the folder that is not there yet.
TEST_F(Looks, FindAFullDisk) {
  const fs::path disk = folder_.path() / "disk";
  fs::create_directory(disk);
  const Outcome outcome = in_child([&] {
    if (!mount_small_disk(disk, "1m")) return Outcome::not_allowed;
    const Output small{"--checkpoint", disk / "a/b", OutputKind::folder, Bytes{1e5}, {}};
    Output large = small;
    large.size = Bytes{4e6};
    if (const auto wrong = unwritable({small})) return quintet::complain(wrong->text());
    const auto wrong = unwritable({small, large});
    if (!wrong) return quintet::complain("a full disk was not found");
    const bool says = wrong->text().find("make room there") != std::string::npos;
    return says && fs::is_empty(disk) ? Outcome::as_promised : quintet::complain(wrong->text());
  });
  if (outcome == Outcome::not_allowed) GTEST_SKIP() << "no mounts here";
  EXPECT_EQ(outcome, Outcome::as_promised);
}

}  // namespace
}  // namespace quintet::engine
