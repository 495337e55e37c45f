#include "calibrate/machine/this_machine.h"

#include <sys/utsname.h>

#include <array>
#include <ctime>
#include <fstream>

namespace quintet::calibrate {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

std::string where_and_when() {
  utsname system{};
  uname(&system);
  std::array<char, 32> day{};
  const std::time_t now = std::time(nullptr);
  std::strftime(day.data(), day.size(), "%F", std::gmtime(&now));
  return processor_name() + ", " + system.sysname + " " + system.release + ", " + day.data();
}

}  // namespace quintet::calibrate
