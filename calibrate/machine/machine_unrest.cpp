#include "calibrate/machine/machine_unrest.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "sim/base/text_table.h"

namespace quintet::calibrate {
namespace {

namespace fs = std::filesystem;

constexpr double tolerated_pressure = 0.1;  // of the time
constexpr int tolerated_tenths = 9;         // of the greatest clock
constexpr std::chrono::milliseconds usual_watch{500};

// "some avg10=0.00 avg60=...": 0 where there is no such file.
double pressure(const fs::path& file) {
  std::ifstream in(file);
  std::string who, share;
  if (!(in >> who >> share) || !share.starts_with("avg10=")) return 0;
  return std::atof(share.c_str() + 6) / 100;
}

// 0 where there is no such file.
std::int64_t number_in(const fs::path& file) {
  std::ifstream in(file);
  std::int64_t number = 0;
  in >> number;
  return in ? number : 0;
}

std::vector<fs::path> cores_in(const fs::path& root) {
  std::vector<fs::path> cores;
  for (int number = 0;; ++number) {
    fs::path core = root / "sys/devices/system/cpu" / fmt::format("cpu{}", number);
    std::error_code none;
    if (!fs::exists(core, none)) return cores;
    cores.push_back(std::move(core));
  }
}

std::int64_t throttled(const std::vector<fs::path>& cores) {
  std::int64_t times = 0;
  for (const fs::path& core : cores)
    times += number_in(core / "thermal_throttle/core_throttle_count");
  return times;
}

}  // namespace

std::vector<std::string> unrest_in(const fs::path& root, std::chrono::milliseconds watch) {
  std::vector<std::string> all;
  for (const char* const what : {"cpu", "memory"}) {
    const std::string file = std::string("proc/pressure/") + what;
    if (const double share = pressure(root / file); share > tolerated_pressure)
      all.push_back("other programs want this machine's " +
                    std::string(*what == 'c' ? "cores" : "memory") + " (/" + file +
                    ": something waited " + percent(share, 0) + " of the last 10 s)");
  }
  const std::vector<fs::path> cores = cores_in(root);
  for (const fs::path& core : cores) {
    const std::int64_t allowed = number_in(core / "cpufreq/scaling_max_freq");
    const std::int64_t able = number_in(core / "cpufreq/cpuinfo_max_freq");
    if (allowed == 0 || able == 0 || allowed >= able / 10 * tolerated_tenths) continue;
    all.push_back(fmt::format("clocks are held down: {} may run at {} MHz of {}",
                              core.filename().string(), allowed / 1000, able / 1000));
    break;  // the others mostly are like it
  }
  if (const std::int64_t before = throttled(cores); !cores.empty()) {
    std::this_thread::sleep_for(watch);
    if (const std::int64_t times = throttled(cores) - before; times > 0)
      all.push_back(fmt::format("cores are slowed by heat: {} times just now", times));
  }
  return all;
}

std::optional<Error> unrest(bool does_not_mind) {
  if (does_not_mind) return std::nullopt;
  const std::vector<std::string> all = unrest_in("/", usual_watch);
  if (all.empty()) return std::nullopt;
  std::string text;
  for (const std::string& each : all) text += (text.empty() ? "" : "; ") + each;
  return Error{"quintet calibrate", text + "; wait, or measure all the same with --busy"};
}

}  // namespace quintet::calibrate
