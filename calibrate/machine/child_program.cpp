#include "calibrate/machine/child_program.h"
#include "sim/base/own_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

extern char** environ;

namespace quintet::calibrate {
namespace {

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

int code_of(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<Ended> run_program(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Error{words.front(), std::strerror(errno)};
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  pid_t process = -1;
  const int wrong =
      posix_spawnp(&process, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Ended ended;
  if (wrong == 0) ended.output = read_all(ends[0]);
  close(ends[0]);
  if (wrong != 0)
    return Error{words.front(), std::string("cannot be started: ") + std::strerror(wrong)};
  ended.code = code_of(process);
  return ended;
}

std::string beside_this_program(const std::string& name) {
  std::error_code error;
  const auto near = own_program().parent_path() / name;
  return near.has_parent_path() && std::filesystem::exists(near, error) ? near.string() : name;
}

}  // namespace quintet::calibrate
