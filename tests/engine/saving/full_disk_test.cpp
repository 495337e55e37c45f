// Disks that fill up under a checkpoint, and ranks that cannot write: the error names rank, file
// and cause on every rank, and what was complete stays.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "tests/engine/saving/job.h"
#include "tests/support/small_disk.h"

namespace quintet::engine::test {
namespace {

Toy two_ranks() {
  return toy_in(toy_gpt2(), {.name = "dp2", .data = 2});
}

// Steps until saving fails; at most 50.
std::optional<Error> save_until_it_fails(const RankOfJob& rank,
                                         const std::filesystem::path& folder) {
  CheckpointOptions options;
  options.folder = folder;
  options.keep = 50;
  const auto keeper = CheckpointKeeper::make(options, rank.peers);
  if (!keeper) return keeper.error();
  const auto resumed = (*keeper)->resume(rank.executor);
  if (!resumed) return resumed.error();
  for (int step = 2; step < 50; ++step)
    if (auto wrong = (*keeper)->save(step, rank.executor, {})) return wrong;
  return (*keeper)->finish();
}

// One good checkpoint of step 1.
std::optional<Error> save_one(const RankOfJob& rank, const std::filesystem::path& folder) {
  const auto keeper = keeper_in(folder, rank.peers);
  if (auto wrong = keeper->save(1, rank.executor, {})) return wrong;
  return keeper->finish();
}

// The same words on all ranks: a rank, a file of its own step, the cause.
Outcome judge(const std::vector<std::optional<Error>>& errors, const std::filesystem::path& folder,
              const std::string& cause) {
  for (const std::optional<Error>& error : errors) {
    if (!error) return complain("a rank ended without an error");
    const std::string text = error->text();
    const bool named = text.starts_with("rank 0: " + folder.string()) ||
                       text.starts_with("rank 1: " + folder.string());
    if (!named || !text.ends_with(cause)) return complain(text);
  }
  const auto newest = newest_checkpoint(folder);
  if (!newest) return complain(newest.error().text());
  if (!newest->refused.empty()) return complain("something damaged was left behind");
  return Outcome::as_promised;
}

// 35,000 weights with two moments are 420 kB a checkpoint: a few fit.
TEST(FullDisk, UnderACheckpointIsToldByEveryRank) {
  const TemporaryFolder folder;
  const Outcome outcome = in_child([&] {
    if (!mount_small_disk(folder.path(), "2m")) return Outcome::not_allowed;
    const auto run = folder.path() / "run";
    run_job(two_ranks(), [&](const RankOfJob& rank) { return save_one(rank, run); });
    const auto errors =
        run_job(two_ranks(), [&](const RankOfJob& rank) { return save_until_it_fails(rank, run); });
    return judge(errors, run, "No space left on device");
  });
  if (outcome == Outcome::not_allowed)
    GTEST_SKIP() << "NOT TESTED: user namespaces or mounts are not allowed here";
  EXPECT_EQ(outcome, Outcome::as_promised);
}

TEST(FullDisk, ALimitOnFileSizeIsToldToo) {
  const TemporaryFolder folder;
  const auto run = folder.path() / "run";
  expect_success(run_job(two_ranks(), [&](const RankOfJob& rank) { return save_one(rank, run); }));
  const Outcome outcome = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};  // a rank's shard has 210 kB
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return Outcome::broken;
    const auto errors =
        run_job(two_ranks(), [&](const RankOfJob& rank) { return save_until_it_fails(rank, run); });
    return judge(errors, run, "cannot be written: File too large");
  });
  EXPECT_EQ(outcome, Outcome::as_promised);
  EXPECT_EQ(complete_steps(run), std::vector<std::int64_t>{1});
}

// A folder stands where rank 1 wants to write.
TEST(FullDisk, OneRankThatCannotWriteIsNamedByAll) {
  const TemporaryFolder folder;
  const auto run = folder.path() / "run";
  expect_success(run_job(two_ranks(), [&](const RankOfJob& rank) { return save_one(rank, run); }));
  const auto file = step_folder(run, 2) / (shard_name(1) + ".part");
  const auto errors = run_job(two_ranks(), [&](const RankOfJob& rank) -> std::optional<Error> {
    const auto keeper = keeper_in(run, rank.peers);
    const auto resumed = keeper->resume(rank.executor);
    if (!resumed) return resumed.error();
    if (rank.peers.rank().value == 1) std::filesystem::create_directories(file);
    if (auto wrong = keeper->save(2, rank.executor, {})) return wrong;
    return keeper->finish();
  });
  for (const std::optional<Error>& error : errors)
    EXPECT_EQ(error ? error->text() : "",
              "rank 1: " + file.string() + ": cannot be created: Is a directory");
  EXPECT_EQ(complete_steps(run), std::vector<std::int64_t>{1});
  // Resuming finds step 1 and clears what was cut short.
  expect_success(run_job(two_ranks(), [&](const RankOfJob& rank) -> std::optional<Error> {
    const auto resumed = keeper_in(run, rank.peers)->resume(rank.executor);
    if (!resumed) return resumed.error();
    EXPECT_EQ((*resumed)->step, 1);
    return std::nullopt;
  }));
  EXPECT_FALSE(std::filesystem::exists(step_folder(run, 2)));
}

TEST(FullDisk, AFolderThatCannotBeMadeIsNamed) {
  const TemporaryFolder folder;
  write_bytes(folder.path() / "taken", "");
  const auto errors = run_job(two_ranks(), [&](const RankOfJob& rank) {
    return save_until_it_fails(rank, folder.path() / "taken" / "run");
  });
  for (const std::optional<Error>& error : errors) {
    ASSERT_TRUE(error);
    EXPECT_TRUE(error->text().ends_with(": " + (folder.path() / "taken/run").string() +
                                        ": cannot be created: Not a directory"))
        << error->text();
  }
}

}  // namespace
}  // namespace quintet::engine::test
