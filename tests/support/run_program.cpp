#include "tests/support/run_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace quintet::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// What a user's shell could have set must not change a test's result.
std::vector<std::string> environment() {
  const char* const path = std::getenv("PATH");
  std::vector<std::string> set{"LC_ALL=C", "TERM=dumb", "HOME=/nonexistent"};
  set.push_back("PATH=" + quintet_program().parent_path().string() + ":" +
                (path ? path : "/usr/bin:/bin"));
  for (const char* const name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "UCX_MEM_EVENTS"})
    if (const char* const value = std::getenv(name)) set.push_back(std::string(name) + "=" + value);
  return set;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::string content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// Output goes to files: a pipe that nobody empties would stop the program.
pid_t start(std::vector<std::string> words, const fs::path& folder, const fs::path& out,
            const fs::path& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), flags, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  std::vector<std::string> variables = environment();
  pid_t process = -1;
  const int failed = posix_spawnp(&process, words.front().c_str(), &actions, nullptr,
                                  pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? process : -1;
}

constexpr auto patience = sanitized ? 600s : 60s;

void wait_for(pid_t process, ProgramRun& run) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  int status = 0;
  rusage used{};
  while (wait4(process, &status, WNOHANG, &used) == 0) {
    if (!run.timed_out && std::chrono::steady_clock::now() > deadline) {
      run.timed_out = true;
      kill(process, SIGKILL);
    }
    std::this_thread::sleep_for(2ms);
  }
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  run.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
}

ProgramRun run_words(const std::vector<std::string>& words, const fs::path& folder) {
  const fs::path out = folder.string() + ".out", err = folder.string() + ".err";
  ProgramRun run;
  const pid_t process = start(words, folder, out, err);
  if (process > 0) wait_for(process, run);
  run.out = content(out);
  run.err = content(err);
  fs::remove(out);
  fs::remove(err);
  return run;
}

}  // namespace

fs::path quintet_program() {
  return QUINTET_PROGRAM;
}

ProgramRun run_quintet(const std::vector<std::string>& arguments, const fs::path& folder) {
  std::vector<std::string> words{quintet_program().string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_words(words, folder);
}

ProgramRun run_shell(const std::string& line, const fs::path& folder) {
  return run_words({"bash", "--norc", "-c", line}, folder);
}

}  // namespace quintet::test
