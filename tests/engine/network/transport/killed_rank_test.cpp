// Real processes, one of which is killed or stopped: every other must end in time with an error
// that names it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>

#include "engine/launch/rendezvous/rendezvous_socket.h"

namespace quintet::engine {
namespace {

namespace fs = std::filesystem;

class Process {
 public:
  explicit Process(std::vector<std::string> arguments) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
    output_ = Descriptor(ends[0]);
    const Descriptor writing(ends[1]);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, writing.number(), STDOUT_FILENO);
    if (posix_spawn(&id_, words[0], &actions, nullptr, words.data(), environ) != 0) id_ = -1;
    posix_spawn_file_actions_destroy(&actions);
  }
  Process(Process&& other) noexcept
      : id_(std::exchange(other.id_, -1)), output_(std::move(other.output_)) {}
  ~Process() {
    if (id_ <= 0) return;
    signal(SIGKILL);
    waitpid(id_, nullptr, 0);
  }

  void signal(int number) const { kill(id_, number); }

  // What it printed next, or "" when it closed its output or the time is over.
  std::string line(Clock::time_point until) {
    std::string text;
    while (Clock::now() < until) {
      pollfd one{output_.number(), POLLIN, 0};
      if (poll(&one, 1, 50) == 0) continue;
      char letter = 0;
      if (read(output_.number(), &letter, 1) != 1) return "";
      if (letter == '\n') return text;
      text += letter;
    }
    return "";
  }

  bool ended(Clock::time_point until) {
    while (Clock::now() < until) {
      if (waitpid(id_, nullptr, WNOHANG) == id_) {
        id_ = -1;
        return true;
      }
      usleep(10000);
    }
    return false;
  }

 private:
  pid_t id_ = -1;
  Descriptor output_;
};

struct Fault {
  int victim = 0;
  int signal_number = SIGKILL;
  std::string memory = "tcp";
};

std::string expected_start(int victim) {
  return "rank " + std::to_string(victim) + ": ";
}

void survive(const Fault& fault) {
  constexpr int world = 4;
  const fs::path folder =
      fs::temp_directory_path() / ("quintet-killed-" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::vector<Process> ranks;
  for (int rank = 0; rank < world; ++rank)
    ranks.emplace_back(std::vector<std::string>{QUINTET_RANK_PROGRAM, std::to_string(rank),
                                                std::to_string(world), folder, fault.memory});
  const auto in = [](int milliseconds) { return Clock::now() + Milliseconds(milliseconds); };
  for (Process& rank : ranks) ASSERT_EQ(rank.line(in(20000)), "running");
  const Clock::time_point start = Clock::now();
  ranks[static_cast<std::size_t>(fault.victim)].signal(fault.signal_number);
  for (int rank = 0; rank < world; ++rank) {
    if (rank == fault.victim) continue;
    Process& survivor = ranks[static_cast<std::size_t>(rank)];
    const std::string said = survivor.line(start + Milliseconds(10000));
    EXPECT_TRUE(said.starts_with(expected_start(fault.victim))) << "rank " << rank << ": " << said;
    EXPECT_TRUE(survivor.ended(start + Milliseconds(10000)));
  }
  testing::Test::RecordProperty("milliseconds",
                                static_cast<int>((Clock::now() - start) / Milliseconds(1)));
  fs::remove_all(folder);
}

TEST(KilledRank, IsNamedByAllOthers) {
  for (const int victim : {1, 2, 3}) survive({victim, SIGKILL});
}

TEST(KilledRank, IsNamedByAllOthersInSharedMemory) {
  survive({2, SIGKILL, "shared"});
}

TEST(KilledRank, IsNamedAlsoWhenItHeldTheRendezvous) {
  survive({0, SIGKILL});
}

// It keeps its connections but says nothing, as behind a cut cable: found by its silence.
TEST(StoppedRank, IsNamedByAllOthers) {
  survive({2, SIGSTOP});
}

}  // namespace
}  // namespace quintet::engine
