#include "engine/emulated_cluster/start_inside.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace quintet::engine {
namespace {

void report(const EntryOrder& order, EntryReport::Kind kind, int value) {
  const EntryReport said{kind, value};
  [[maybe_unused]] const ssize_t written = write(order.report, &said, sizeof said);
}

// Above the three that are to be replaced, so that none is overwritten before it was used.
int above_standard(int descriptor) {
  return descriptor < 0 ? open("/dev/null", O_RDWR) : fcntl(descriptor, F_DUPFD, 10);
}

void take_descriptors(const EntryOrder& order) {
  const int input = above_standard(order.input);
  const int output = above_standard(order.output);
  const int error = above_standard(order.error);
  dup2(input, 0);
  dup2(output, 1);
  dup2(error, 2);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
}

[[noreturn]] void become_program(EntryOrder order) {
  order.report = fcntl(order.report, F_DUPFD, 10);
  take_descriptors(order);
  setpgid(0, 0);  // a terminal's interrupt is the caller's to pass on
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (chdir(order.folder) == 0) execve(order.arguments[0], order.arguments, order.environment);
  report(order, EntryReport::Kind::cannot_run, errno);
  _exit(127);
}

}  // namespace

void start_inside(const EntryOrder& order) {
  if (setns(order.space, order.flags) != 0) {
    report(order, EntryReport::Kind::cannot_enter, errno);
    _exit(1);
  }
  const long process = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
  if (process == 0) become_program(order);
  if (process < 0)
    report(order, EntryReport::Kind::cannot_fork, errno);
  else
    report(order, EntryReport::Kind::started, static_cast<int>(process));
  _exit(process < 0 ? 1 : 0);
}

void make_socket_inside(const EntryOrder& order, int domain, int type, int protocol) {
  const int made = setns(order.space, order.flags) == 0 ? socket(domain, type, protocol) : -1;
  int error = made < 0 ? errno : 0;
  iovec part{&error, sizeof error};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (made >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof made);
    std::memcpy(CMSG_DATA(header), &made, sizeof made);
  }
  [[maybe_unused]] const ssize_t sent = sendmsg(order.report, &message, 0);
  _exit(0);
}

}  // namespace quintet::engine
