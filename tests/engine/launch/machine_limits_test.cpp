// Memory and cores by the files of a machine that is made up.
#include "engine/launch/machine_limits.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "tests/support/temporary_folder.h"

namespace quintet::engine {
namespace {

namespace fs = std::filesystem;

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

// 8,000 kB x 1,024.
TEST(MachineLimits, WithoutGroupsAreWhatTheKernelSaysIsAvailable) {
  const TemporaryFolder root;
  put(root.path() / "proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    8000 kB\n");
  const MachineLimits found = machine_limits(root.path());
  EXPECT_EQ(found.free_memory, 8'192'000);
  EXPECT_EQ(found.memory_by, "MemAvailable of /proc/meminfo");
  EXPECT_FALSE(found.quota);
  EXPECT_EQ(found.memory_kills, 0);
}

// The group has no limit ("max"), the one around it 1,000,000, of which 700,000 are used and
// 200,000 of these can be dropped: 1,000,000 - 500,000. Its quota: 150 ms of each 100 ms.
TEST(MachineLimits, OfVersion2HoldAtEveryLevel) {
  const TemporaryFolder root;
  put(root.path() / "proc/meminfo", "MemAvailable:    8000 kB\n");
  put(root.path() / "proc/self/cgroup", "0::/outer/inner\n");
  const fs::path outer = root.path() / "sys/fs/cgroup/outer";
  put(outer / "inner/memory.max", "max\n");
  put(outer / "inner/memory.current", "600000\n");
  put(outer / "inner/memory.events", "oom 1\noom_kill 3\n");
  put(outer / "memory.max", "1000000\n");
  put(outer / "memory.current", "700000\n");
  put(outer / "memory.stat", "anon 1\ninactive_file 200000\n");
  put(outer / "cpu.max", "150000 100000\n");
  const MachineLimits found = machine_limits(root.path());
  EXPECT_EQ(found.free_memory, 500'000);
  EXPECT_EQ(found.memory_by, (outer / "memory.max").string());
  EXPECT_EQ(found.quota, 1.5);
  EXPECT_EQ(found.memory_kills, 3);
}

// 600,000 - (500,000 - 100,000); -1 is no quota.
TEST(MachineLimits, OfVersion1AreFoundByController) {
  const TemporaryFolder root;
  put(root.path() / "proc/meminfo", "MemAvailable:    8000 kB\n");
  put(root.path() / "proc/self/cgroup", "4:memory:/job\n3:cpu,cpuacct:/job\n2:pids:/job\n");
  const fs::path memory = root.path() / "sys/fs/cgroup/memory/job";
  put(memory / "memory.limit_in_bytes", "600000\n");
  put(memory / "memory.usage_in_bytes", "500000\n");
  put(memory / "memory.stat", "total_inactive_file 100000\n");
  put(memory / "memory.oom_control", "oom_kill_disable 0\noom_kill 2\n");
  put(root.path() / "sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  put(root.path() / "sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  const MachineLimits found = machine_limits(root.path());
  EXPECT_EQ(found.free_memory, 200'000);
  EXPECT_FALSE(found.quota);
  EXPECT_EQ(found.memory_kills, 2);
}

TEST(StoppedProcess, IsToldFromOneThatRuns) {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  EXPECT_FALSE(is_stopped(child));
  kill(child, SIGSTOP);
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  EXPECT_TRUE(is_stopped(child));
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
}

// A name of brackets and blanks: the state stands behind the last bracket.
TEST(StoppedProcess, IsFoundWhateverItsName) {
  const TemporaryFolder root;
  put(root.path() / "proc/7/stat", "7 (a) T (b) S 1 7\n");
  EXPECT_FALSE(is_stopped(7, root.path()));
  put(root.path() / "proc/7/stat", "7 (a) S (b) T 1 7\n");
  EXPECT_TRUE(is_stopped(7, root.path()));
}

}  // namespace
}  // namespace quintet::engine
