#include "calibrate/machine/machine_time.h"

#include <unistd.h>

#include <array>
#include <fstream>
#include <string>

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

}  // namespace quintet::calibrate
