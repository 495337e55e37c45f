#include "calibrate/machine/others_work.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace quintet::calibrate {

Result<Seconds> machine_work() {
  std::ifstream file("/proc/stat");
  std::string name;
  // user, nice, system, idle, iowait, irq, softirq, steal
  std::array<double, 8> ticks{};
  file >> name;
  for (double& each : ticks) file >> each;
  if (!file || name != "cpu")
    return Error{"/proc/stat", "does not begin with the ticks of all cores"};
  const double worked = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6];
  return Seconds{worked / static_cast<double>(sysconf(_SC_CLK_TCK))};
}

OthersWork::OthersWork() : begin_(now()) {}

double OthersWork::share() const {
  const Sample end = now();
  const auto cores = static_cast<double>(std::thread::hardware_concurrency());
  const double others = (end.machine - begin_.machine) - (end.children - begin_.children);
  return std::max(0.0, others / (cores * (end.clock - begin_.clock)));
}

OthersWork::Sample OthersWork::now() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  const Result<Seconds> machine = machine_work();
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration<double>(since).count(), machine ? machine->value : 0,
          seconds(used.ru_utime) + seconds(used.ru_stime)};
}

}  // namespace quintet::calibrate
