// A small disk of a test's own, and a process that may fill it.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>

namespace quintet {

enum class Outcome { as_promised = 0, broken = 1, not_allowed = 2 };

// In a process of its own, since limits and mounts stay with a process.
inline Outcome in_child(const std::function<Outcome()>& function) {
  const pid_t child = fork();
  if (child == 0) {
    Outcome outcome = Outcome::broken;
    try {
      outcome = function();
    } catch (const std::exception& exception) {
      std::fprintf(stderr, "%s\n", exception.what());
    }
    _exit(static_cast<int>(outcome));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? static_cast<Outcome>(WEXITSTATUS(status)) : Outcome::broken;
}

inline Outcome complain(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return Outcome::broken;
}

inline bool write_line(const char* file, const std::string& line) {
  const int descriptor = open(file, O_WRONLY);
  if (descriptor < 0) return false;
  const bool written =
      write(descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  close(descriptor);
  return written;
}

// For this process, as tmpfs knows sizes ("512k"); false: namespaces or mounts are not allowed.
inline bool mount_small_disk(const std::filesystem::path& folder, const std::string& size) {
  const std::string user = std::to_string(getuid()), group = std::to_string(getgid());
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return write_line("/proc/self/setgroups", "deny") &&
         write_line("/proc/self/uid_map", "0 " + user + " 1") &&
         write_line("/proc/self/gid_map", "0 " + group + " 1") &&
         mount("none", folder.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
}

}  // namespace quintet
