#include "engine/emulated_cluster/keeper.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>

namespace quintet::engine {
namespace {

// Everything here runs in a fork of a program that may have had threads: no allocation, no locks.

struct Keeper {
  int socket;
  UserNamespace users;
};

void report(const Keeper& keeper, KeeperStep step, int space, int error) {
  const KeeperReport said{step, space, error, keeper.users};
  [[maybe_unused]] const ssize_t sent = send(keeper.socket, &said, sizeof said, MSG_NOSIGNAL);
}

[[noreturn]] void fail(const Keeper& keeper, KeeperStep step, int space = -1) {
  report(keeper, step, space, errno);
  _exit(1);
}

bool write_file(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const auto length = static_cast<ssize_t>(std::strlen(text));
  const bool written = write(file, text, static_cast<std::size_t>(length)) == length;
  const int error = errno;
  close(file);
  errno = error;
  return written;
}

// "0 1000 1": the owner is root inside, and nobody else is known there.
bool map_to_root(const char* path, unsigned id) {
  char line[32] = "0 ";
  char* const end = std::to_chars(line + 2, line + 20, id).ptr;
  std::memcpy(end, " 1\n", 4);
  return write_file(path, line);
}

constexpr int private_spaces = CLONE_NEWPID | CLONE_NEWNS;

void separate(Keeper& keeper) {
  const unsigned user = geteuid(), group = getegid();
  if (unshare(private_spaces) == 0) return;
  if (errno != EPERM) fail(keeper, KeeperStep::separate);
  keeper.users = UserNamespace::owned;
  if (unshare(CLONE_NEWUSER | private_spaces) != 0) fail(keeper, KeeperStep::separate);
  if (!write_file("/proc/self/setgroups", "deny") && errno != ENOENT)
    fail(keeper, KeeperStep::map_users);
  if (!map_to_root("/proc/self/uid_map", user) || !map_to_root("/proc/self/gid_map", group))
    fail(keeper, KeeperStep::map_users);
}

struct Setting {
  const char* path;
  const char* value;
};

constexpr Setting settings_of_all[] = {
    // Ways there and back may differ.
    {"/proc/sys/net/ipv4/conf/all/rp_filter", "0"},
    {"/proc/sys/net/ipv4/conf/default/rp_filter", "0"},
    // Its neighbour discovery would only disturb.
    {"/proc/sys/net/ipv6/conf/all/disable_ipv6", "1"},
    {"/proc/sys/net/ipv6/conf/default/disable_ipv6", "1"},
    // A training fabric keeps what its messages may have under way, however long it was quiet; a
    // window that opens anew for each message would make a late link many times as late.
    {"/proc/sys/net/ipv4/tcp_slow_start_after_idle", "0"},
    {"/proc/sys/net/ipv4/tcp_congestion_control", "reno"},
};
constexpr Setting settings_of_switches[] = {
    {"/proc/sys/net/ipv4/ip_forward", "1"},
    {"/proc/sys/net/ipv4/conf/all/send_redirects", "0"},
    {"/proc/sys/net/ipv4/conf/default/send_redirects", "0"},
};

template <std::size_t count>
bool set(const Setting (&settings)[count]) {
  for (const Setting& setting : settings)
    if (!write_file(setting.path, setting.value) && errno != ENOENT) return false;
  return true;
}

void furnish_host(const Keeper& keeper, const SpaceRequest& space, int number) {
  if (sethostname(space.name.c_str(), space.name.size()) != 0)
    fail(keeper, KeeperStep::name_host, number);
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    fail(keeper, KeeperStep::detach_mounts, number);
  // /sys lists the network interfaces of the namespace it was mounted in, and UCX reads that list.
  if (mount("none", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    fail(keeper, KeeperStep::mount_sys, number);
  if (mount("none", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    fail(keeper, KeeperStep::mount_proc, number);
  if (mount("none", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, nullptr) != 0)
    fail(keeper, KeeperStep::mount_shared_memory, number);
}

[[noreturn]] void be_first_of_space(const Keeper& keeper, const SpaceRequest& space, int number) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (space.kind == SpaceKind::host) furnish_host(keeper, space, number);
  if (!set(settings_of_all)) fail(keeper, KeeperStep::set_network, number);
  if (space.kind == SpaceKind::network && !set(settings_of_switches))
    fail(keeper, KeeperStep::set_network, number);
  report(keeper, KeeperStep::ready, number, 0);
  close(keeper.socket);
  for (;;) pause();
}

void make_space(const Keeper& keeper, const SpaceRequest& space, int number) {
  const int more =
      space.kind == SpaceKind::host ? CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNS : 0;
  const long process = syscall(SYS_clone, CLONE_NEWNET | more | SIGCHLD, 0, 0, 0, 0);
  if (process < 0) fail(keeper, KeeperStep::make_space, number);
  if (process == 0) be_first_of_space(keeper, space, number);
}

[[noreturn]] void be_first_of_all(const Keeper& keeper, const std::vector<SpaceRequest>& spaces) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    fail(keeper, KeeperStep::detach_mounts);
  for (std::size_t number = 0; number < spaces.size(); ++number)
    make_space(keeper, spaces[number], static_cast<int>(number));
  char nothing = 0;
  while (recv(keeper.socket, &nothing, 1, 0) < 0 && errno == EINTR) {
  }
  _exit(0);
}

void let_go_of_everything_but(int socket) {
  for (const int standard : {0, 1, 2}) {
    const int null = open("/dev/null", O_RDWR);
    if (null >= 0 && null != standard) {
      dup2(null, standard);
      close(null);
    }
  }
  dup2(socket, 3);
  close_range(4, ~0U, 0);
}

}  // namespace

void keep_namespaces(int socket, const std::vector<SpaceRequest>& spaces) {
  setsid();  // what the terminal sends is for the owner
  std::signal(SIGCHLD, SIG_DFL);
  let_go_of_everything_but(socket);
  Keeper keeper{3, UserNamespace::ours};
  separate(keeper);
  const pid_t first = fork();
  if (first < 0) fail(keeper, KeeperStep::make_space);
  if (first == 0) be_first_of_all(keeper, spaces);
  close(keeper.socket);
  while (waitpid(first, nullptr, 0) < 0 && errno == EINTR) {
  }
  _exit(0);
}

}  // namespace quintet::engine
