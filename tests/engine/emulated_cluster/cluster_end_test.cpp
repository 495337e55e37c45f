// After the emulated cluster's end, whatever end, nothing of it is left.
#include <fcntl.h>
#include <spawn.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/engine/emulated_cluster/small_clusters.h"

namespace quintet::engine {
namespace {

namespace fs = std::filesystem;
using BoxEnd = BoxTest;

// Processes in that network namespace ("net:[4026532000]").
int processes_in(const std::string& space) {
  int found = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error))
    if (fs::read_symlink(entry.path() / "ns/net", error).string() == space) ++found;
  return found;
}

// The first process of a namespace waits until the last one inside was waited for.
bool empties(const std::string& space) {
  for (int tenths = 0; tenths < 200; ++tenths) {
    if (processes_in(space) == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

std::string interfaces_here() {
  std::string names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/sys/class/net", error))
    names += entry.path().filename().string() + " ";
  return names;
}

std::string without_newline(std::string text) {
  return text.substr(0, text.find('\n'));
}

TEST_F(BoxEnd, TheOwnersOwnNetworkIsNeverTouched) {
  const std::string before = interfaces_here();
  const auto cluster = made(small_machine({2}));
  EXPECT_EQ(interfaces_here(), before);
}

TEST_F(BoxEnd, DestructionEndsWhatRunsInside) {
  auto cluster = made(small_machine({2}));
  const std::string space = without_newline(shell(*cluster, 0, "readlink /proc/self/ns/net"));
  const Running sleeps(*cluster, 0, {"/bin/sh", "-c", "sleep 1000 & sleep 1000"});
  EXPECT_GE(processes_in(space), 2);  // the shell and the space's first process
  cluster = nullptr;
  EXPECT_EQ(processes_in(space), 0);
  EXPECT_EQ(kill(sleeps.process(), 0), -1);
}

TEST_F(BoxEnd, AKilledOwnerLeavesNothing) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  std::string program = QUINTET_OWNER_PROGRAM;
  char* arguments[] = {program.data(), nullptr};
  pid_t owner = 0;
  ASSERT_EQ(posix_spawn(&owner, program.c_str(), &actions, nullptr, arguments, environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string space(200, '\0');
  const ssize_t size = read(ends[0], space.data(), space.size());
  close(ends[0]);
  ASSERT_GT(size, 0);
  space = without_newline(space);
  ASSERT_EQ(space.substr(0, 5), "net:[");
  EXPECT_GE(processes_in(space), 2);
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  EXPECT_TRUE(empties(space)) << processes_in(space) << " processes are left in " << space;
}

}  // namespace
}  // namespace quintet::engine
