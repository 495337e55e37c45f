#include "engine/launch/machine_limits.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

namespace quintet::engine {

namespace {

namespace fs = std::filesystem;

// The number behind a word that begins a line, as memory.stat and /proc/meminfo have them.
std::optional<double> number_of(const fs::path& file, const std::string& word) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name;
    double number = 0;
    if (words >> name >> number && name == word) return number;
  }
  return std::nullopt;
}

// A file's first number; none for "max" too.
std::optional<double> first_number(const fs::path& file) {
  std::ifstream in(file);
  double number = 0;
  return in >> number ? std::optional(number) : std::nullopt;
}

// Names of one version's files.
struct Files {
  const char *limit, *use, *dropped, *kills;
};
constexpr Files version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
                          "memory.oom_control"};
constexpr Files version_2{"memory.max", "memory.current", "inactive_file", "memory.events"};

// A process's group in one hierarchy and all around it, innermost first.
std::vector<fs::path> groups_around(const fs::path& mount, const std::string& group) {
  std::vector<fs::path> found;
  for (fs::path at = fs::path(group).relative_path();; at = at.parent_path()) {
    std::error_code error;
    if (const fs::path folder = mount / at; fs::is_directory(folder, error))
      found.push_back(folder);
    if (at.empty()) return found;
  }
}

struct Hierarchy {
  std::string controllers, group;  // "cpu,cpuacct", "/docker/1"; version 2 has no controllers
};

std::vector<Hierarchy> hierarchies(const fs::path& root) {
  std::vector<Hierarchy> found;
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    found.push_back({line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  return found;
}

bool controls(const Hierarchy& hierarchy, const std::string& what) {
  std::istringstream in(hierarchy.controllers);
  for (std::string word; std::getline(in, word, ',');)
    if (word == what) return true;
  return false;
}

void look_at_memory(const fs::path& group, const Files& files, MachineLimits& into) {
  const auto limit = first_number(group / files.limit), use = first_number(group / files.use);
  if (limit && use) {
    const double droppable = number_of(group / "memory.stat", files.dropped).value_or(0);
    const double left = std::max(0.0, *limit - std::max(0.0, *use - droppable));
    if (left < into.free_memory) {
      into.free_memory = left;
      into.memory_by = (group / files.limit).string();
    }
  }
  const auto kills = number_of(group / files.kills, "oom_kill");
  if (kills) into.memory_kills = std::max(into.memory_kills, static_cast<std::int64_t>(*kills));
}

void take_quota(double quota, double period, MachineLimits& into) {
  if (quota <= 0 || period <= 0) return;
  into.quota = std::min(into.quota.value_or(quota / period), quota / period);
}

void look_at_cores(const fs::path& group, MachineLimits& into) {
  std::ifstream both(group / "cpu.max");
  double quota = 0, period = 0;
  if (both >> quota >> period) take_quota(quota, period, into);
  const auto older = first_number(group / "cpu.cfs_quota_us");
  const auto of = first_number(group / "cpu.cfs_period_us");
  if (older && of) take_quota(*older, *of, into);
}

}  // namespace

MachineLimits machine_limits(const fs::path& root) {
  MachineLimits found;
  constexpr double kibibyte = 1024;
  const auto available = number_of(root / "proc/meminfo", "MemAvailable:");
  found.free_memory = available ? *available * kibibyte : 1e18;
  found.memory_by = "MemAvailable of /proc/meminfo";
  const fs::path groups = root / "sys/fs/cgroup";
  for (const Hierarchy& each : hierarchies(root)) {
    const bool second = each.controllers.empty();
    if (second || controls(each, "memory"))
      for (const fs::path& group :
           groups_around(second ? groups : groups / each.controllers, each.group))
        look_at_memory(group, second ? version_2 : version_1, found);
    if (second || controls(each, "cpu"))
      for (const fs::path& group :
           groups_around(second ? groups : groups / each.controllers, each.group))
        look_at_cores(group, found);
  }
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    found.address_space = static_cast<double>(space.rlim_cur);
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    found.usable_cores = std::max(1, CPU_COUNT(&set));
  return found;
}

// The program's name in brackets may hold anything, brackets too.
bool is_stopped(std::int64_t process, const fs::path& root) {
  std::ifstream in(root / "proc" / std::to_string(process) / "stat");
  std::string line;
  std::getline(in, line);
  const std::size_t behind = line.rfind(')');
  if (behind == std::string::npos || behind + 2 >= line.size()) return false;
  return line[behind + 2] == 'T' || line[behind + 2] == 't';
}

}  // namespace quintet::engine
