#include "engine/launch/rank_starter.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "engine/launch/rendezvous/rendezvous_socket.h"

namespace quintet::engine {

namespace {

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> all;
  for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  return all;
}

struct Prepared {
  std::vector<char*> arguments, environment;
  std::array<int, 3> standard;
  pid_t parent;
  int failed;  // where the number of an error goes
};

// Between fork and exec: async-signal-safe calls only.
[[noreturn]] void become(const Prepared& prepared) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != prepared.parent) _exit(1);
  setpgid(0, 0);  // a terminal's interrupt reaches the launcher alone, which passes it on
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int number = 0; number < 3; ++number)
    dup2(prepared.standard[static_cast<std::size_t>(number)], number);
  execve(prepared.arguments.front(), prepared.arguments.data(), prepared.environment.data());
  const int error = errno;
  [[maybe_unused]] const auto told = write(prepared.failed, &error, sizeof error);
  _exit(1);
}

// Above 2, so that dup2 onto 0, 1 and 2 overwrites none of them; closed by exec.
Descriptor for_child(int number) {
  return Descriptor(number >= 0 ? fcntl(number, F_DUPFD_CLOEXEC, 3)
                                : fcntl(open("/dev/null", O_RDWR | O_CLOEXEC), F_DUPFD_CLOEXEC, 3));
}

}  // namespace

Result<pid_t> LocalStarter::start(Rank rank, const ProcessStart& process) {
  const std::string where = fmt::format("rank {}", rank.value);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Error{where, system_error(errno)};
  const Descriptor failed(ends[0]);
  Descriptor failing(ends[1]);
  const Descriptor input = for_child(process.input), output = for_child(process.output),
                   error = for_child(process.error);
  const Prepared prepared{pointers(process.arguments),
                          pointers(process.environment),
                          {input.number(), output.number(), error.number()},
                          getpid(),
                          failing.number()};
  const pid_t child = fork();
  if (child < 0) return Error{where, "cannot be started: " + system_error(errno)};
  if (child == 0) become(prepared);
  failing = Descriptor();
  int number = 0;
  if (read(failed.number(), &number, sizeof number) == sizeof number)
    return Error{where, process.arguments.front() + " cannot be started: " + system_error(number)};
  return child;
}

}  // namespace quintet::engine
