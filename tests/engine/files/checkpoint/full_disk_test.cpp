// A disk that fills up while a checkpoint is written, on a tmpfs of our own where user namespaces
// are allowed, and by a limit on file size everywhere.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "tests/support/small_checkpoint.h"
#include "tests/support/small_disk.h"
#include "tests/support/temporary_folder.h"

namespace quintet {
namespace {

// A shard of 1 MiB does not fit: an error in those words, nothing left of it, and the older
// checkpoint is whole.
Outcome fails_cleanly(const std::filesystem::path& folder, const std::string& cause) {
  require(make_step_folder(folder, 10));
  const Shape shape{1 << 18};
  const std::vector<float> numbers(1 << 18, 1.0f);
  const auto file = step_folder(folder, 10) / shard_name(0);
  SnapshotSource source({piece_of("t", shape, whole(shape), numbers)});
  const Result<ShardSummary> summary = write_shard(file, source);
  if (summary) return complain("it was written");
  if (summary.error() != Error{file.string(), "cannot be written: " + cause})
    return complain(summary.error().text());
  if (!std::filesystem::is_empty(step_folder(folder, 10))) return complain("something is left");
  remove_unfinished(folder, 10);
  Result<NewestCheckpoint> newest = newest_checkpoint(folder);
  if (!newest || newest->checkpoint.manifest().state.step != 5) return Outcome::broken;
  const Result<std::vector<float>> read = read_small(newest->checkpoint);
  return read && *read == numbers_from(500, 24) ? Outcome::as_promised : Outcome::broken;
}

TEST(FullDisk, LeavesAnErrorAndTheOlderCheckpoint) {
  const TemporaryFolder folder;
  const Outcome outcome = in_child([&] {
    if (!mount_small_disk(folder.path(), "512k")) return Outcome::not_allowed;
    write_small_checkpoint(folder.path(), 5);
    return fails_cleanly(folder.path(), "No space left on device");
  });
  if (outcome == Outcome::not_allowed)
    GTEST_SKIP() << "NOT TESTED: user namespaces or mounts are not allowed here";
  EXPECT_EQ(outcome, Outcome::as_promised);
}

TEST(FullDisk, ALimitOnFileSizeIsAnErrorToo) {
  const TemporaryFolder folder;
  const Outcome outcome = in_child([&] {
    write_small_checkpoint(folder.path(), 5);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1 << 19, 1 << 19};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return Outcome::broken;
    return fails_cleanly(folder.path(), "File too large");
  });
  EXPECT_EQ(outcome, Outcome::as_promised);
}

}  // namespace
}  // namespace quintet
