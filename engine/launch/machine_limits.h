// What this machine leaves to a process now: memory and cores, by the kernel and by every control
// group around the process (cgroups(7), versions 1 and 2), and how often one of these had to kill.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace quintet::engine {

struct MachineLimits {
  double free_memory = 0;               // bytes, of all processes together
  std::string memory_by;                // whose word that is: "MemAvailable of /proc/meminfo"
  std::optional<double> address_space;  // bytes of one process at most (RLIMIT_AS)
  int usable_cores = 1;                 // by the process's affinity
  std::optional<double> quota;          // cores' worth of time, of all processes of its group
  std::int64_t memory_kills = 0;        // by the kernel for want of memory, in its group, ever

  double cores() const { return quota ? std::min<double>(usable_cores, *quota) : usable_cores; }
};

// `root`: where /proc and /sys are found (tests have their own). What is not there limits nothing.
// A group's memory is free as far as its limit is above its use, pages of files that it can drop
// (memory.stat: inactive_file) not counted.
MachineLimits machine_limits(const std::filesystem::path& root = "/");

// Whether the process waits for SIGCONT (state T of proc(5), /proc/PID/stat), or for a tracer (t).
bool is_stopped(std::int64_t process, const std::filesystem::path& root = "/");

}  // namespace quintet::engine
