// A disk that fills up while a checkpoint is written, on a tmpfs of our own where user namespaces
// are allowed, and by a limit on file size everywhere.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>

#include "tests/engine/checkpoint/small_checkpoint.h"
#include "tests/engine/temporary_folder.h"

namespace quintet {
namespace {

enum Outcome { as_promised = 0, broken = 1, not_allowed = 2 };

// In a process of its own, since limits and mounts stay with a process.
Outcome in_child(const std::function<Outcome()>& function) {
  const pid_t child = fork();
  if (child == 0) {
    Outcome outcome = broken;
    try {
      outcome = function();
    } catch (const std::exception& exception) {
      std::fprintf(stderr, "%s\n", exception.what());
    }
    _exit(outcome);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? static_cast<Outcome>(WEXITSTATUS(status)) : broken;
}

// A shard of 1 MiB does not fit: an error in those words, nothing left of it, and the older
// checkpoint is whole.
Outcome fails_cleanly(const std::filesystem::path& folder, const std::string& cause) {
  require(make_step_folder(folder, 10));
  const Shape shape{1 << 18};
  const std::vector<float> numbers(1 << 18, 1.0f);
  const auto file = step_folder(folder, 10) / shard_name(0);
  const Result<ShardSummary> summary =
      write_shard(file, {piece_of("t", shape, whole(shape), numbers)});
  if (summary) return std::fprintf(stderr, "it was written\n"), broken;
  if (summary.error() != Error{file.string(), "cannot be written: " + cause})
    return std::fprintf(stderr, "%s\n", summary.error().text().c_str()), broken;
  if (!std::filesystem::is_empty(step_folder(folder, 10)))
    return std::fprintf(stderr, "something is left\n"), broken;
  remove_unfinished(folder, 10);
  Result<NewestCheckpoint> newest = newest_checkpoint(folder);
  if (!newest || newest->checkpoint.manifest().state.step != 5) return broken;
  const Result<std::vector<float>> read = read_small(newest->checkpoint);
  return read && *read == numbers_from(500, 24) ? as_promised : broken;
}

bool write_line(const char* file, const std::string& line) {
  const int descriptor = open(file, O_WRONLY);
  if (descriptor < 0) return false;
  const bool written =
      write(descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  close(descriptor);
  return written;
}

bool mount_small_disk(const std::filesystem::path& folder) {
  const std::string user = std::to_string(getuid()), group = std::to_string(getgid());
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return write_line("/proc/self/setgroups", "deny") &&
         write_line("/proc/self/uid_map", "0 " + user + " 1") &&
         write_line("/proc/self/gid_map", "0 " + group + " 1") &&
         mount("none", folder.c_str(), "tmpfs", 0, "size=512k") == 0;
}

TEST(FullDisk, LeavesAnErrorAndTheOlderCheckpoint) {
  const TemporaryFolder folder;
  const Outcome outcome = in_child([&] {
    if (!mount_small_disk(folder.path())) return not_allowed;
    write_small_checkpoint(folder.path(), 5);
    return fails_cleanly(folder.path(), "No space left on device");
  });
  if (outcome == not_allowed)
    GTEST_SKIP() << "NOT TESTED: user namespaces or mounts are not allowed here";
  EXPECT_EQ(outcome, as_promised);
}

TEST(FullDisk, ALimitOnFileSizeIsAnErrorToo) {
  const TemporaryFolder folder;
  const Outcome outcome = in_child([&] {
    write_small_checkpoint(folder.path(), 5);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1 << 19, 1 << 19};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return broken;
    return fails_cleanly(folder.path(), "File too large");
  });
  EXPECT_EQ(outcome, as_promised);
}

}  // namespace
}  // namespace quintet
