#include "calibrate/machine/others_work.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "calibrate/machine/machine_time.h"

namespace quintet::calibrate {

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
