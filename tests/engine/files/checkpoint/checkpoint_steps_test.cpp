#include "engine/files/checkpoint/checkpoint_steps.h"

#include <gtest/gtest.h>

#include "tests/support/small_checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace quintet {
namespace {

using Steps = std::vector<std::int64_t>;

TEST(CheckpointSteps, AStepIsCompleteWhenItsManifestIsThere) {
  const TemporaryFolder folder;
  write_small_checkpoint(folder.path(), 5);
  const Manifest unfinished = write_small_shards(folder.path(), 10);
  EXPECT_EQ(complete_steps(folder.path()), Steps{5});
  require(complete_step(folder.path(), unfinished));
  EXPECT_EQ(complete_steps(folder.path()), (Steps{5, 10}));
  EXPECT_EQ(complete_steps(folder.path() / "missing"), Steps{});
}

TEST(CheckpointSteps, TheNewestCompleteOneIsTaken) {
  const TemporaryFolder folder;
  for (const std::int64_t step : {5, 10}) write_small_checkpoint(folder.path(), step);
  write_small_shards(folder.path(), 15);
  Result<NewestCheckpoint> newest = newest_checkpoint(folder.path());
  ASSERT_TRUE(newest) << newest.error().text();
  EXPECT_EQ(newest->checkpoint.manifest().state.step, 10);
  EXPECT_EQ(*read_small(newest->checkpoint), numbers_from(1000, 24));
  EXPECT_TRUE(newest->refused.empty());
}

// Damage to data, to a header, to the manifest, and a shard that is gone: each time the one before.
TEST(CheckpointSteps, ADamagedOneIsRefusedByNameAndTheOneBeforeIsTaken) {
  for (const int kind : {0, 1, 2, 3}) {
    const TemporaryFolder folder;
    for (const std::int64_t step : {5, 10}) write_small_checkpoint(folder.path(), step);
    const auto shard = step_folder(folder.path(), 10) / shard_name(1);
    const auto manifest = step_folder(folder.path(), 10) / manifest_name;
    const auto size = static_cast<std::streamoff>(std::filesystem::file_size(shard));
    if (kind == 0) damage(shard, size - 64);
    if (kind == 1) damage(shard, 40);
    if (kind == 2) damage(manifest, 60);
    if (kind == 3) std::filesystem::remove(shard);
    Result<NewestCheckpoint> newest = newest_checkpoint(folder.path());
    ASSERT_TRUE(newest) << newest.error().text();
    EXPECT_EQ(newest->checkpoint.manifest().state.step, 5);
    EXPECT_EQ(*read_small(newest->checkpoint), numbers_from(500, 24));
    ASSERT_EQ(newest->refused.size(), 1u);
    const std::string named = (kind == 2 ? manifest : shard).string();
    EXPECT_TRUE(newest->refused.front().where.starts_with(named)) << newest->refused.front().text();
  }
}

TEST(CheckpointSteps, WhenAllAreDamagedTheNewestIsReported) {
  const TemporaryFolder folder;
  EXPECT_EQ(newest_checkpoint(folder.path()).error().text(),
            folder.path().string() + ": holds no complete checkpoint");
  for (const std::int64_t step : {5, 10}) {
    write_small_checkpoint(folder.path(), step);
    damage(step_folder(folder.path(), step) / shard_name(0), 40);
  }
  const Result<NewestCheckpoint> newest = newest_checkpoint(folder.path());
  ASSERT_FALSE(newest);
  EXPECT_TRUE(newest.error().where.starts_with(step_folder(folder.path(), 10).string()));
}

TEST(CheckpointSteps, KeepNewestRemovesOldAndCutShortOnesAndNothingElse) {
  const TemporaryFolder folder;
  for (const std::int64_t step : {5, 10, 15}) write_small_checkpoint(folder.path(), step);
  for (const std::int64_t step : {7, 12, 20}) write_small_shards(folder.path(), step);
  std::filesystem::create_directory(folder.path() / "step-9");  // not ours
  require(keep_newest(folder.path(), 2));
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    left.insert(entry.path().filename().string());
  // 20 may still be being written.
  EXPECT_EQ(left,
            (std::set<std::string>{"step-00000010", "step-00000015", "step-00000020", "step-9"}));
}

TEST(CheckpointSteps, OnlyAnUnfinishedStepIsRemovedAfterAFailure) {
  const TemporaryFolder folder;
  write_small_checkpoint(folder.path(), 5);
  write_small_shards(folder.path(), 10);
  remove_unfinished(folder.path(), 5);
  remove_unfinished(folder.path(), 10);
  EXPECT_EQ(complete_steps(folder.path()), Steps{5});
  EXPECT_FALSE(std::filesystem::exists(step_folder(folder.path(), 10)));
}

}  // namespace
}  // namespace quintet
