// Whether this machine is fit for measuring: nobody else wants its cores or memory, its clocks run
// as they can.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"

namespace quintet::calibrate {

// A sentence for each thing that would disturb, from the kernel's files below `root`:
//   proc/pressure/cpu, memory    the share of the last 10 s in which something waited for them
//   sys/.../cpufreq              cores that may not run as fast as they can
//   sys/.../thermal_throttle     cores that were slowed by heat while this looked on
// What the kernel does not tell disturbs nobody.
std::vector<std::string> unrest_in(const std::filesystem::path& root,
                                   std::chrono::milliseconds watch);

// Nothing where the machine is fit, or one does not mind.
std::optional<Error> unrest(bool does_not_mind);

}  // namespace quintet::calibrate
