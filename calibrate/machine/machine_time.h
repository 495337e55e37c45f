// What all cores of this machine worked, whoever for: also the kernel's network threads.
#pragma once

#include "sim/base/result.h"
#include "sim/base/units.h"

namespace quintet::calibrate {

// Since the machine started, summed over cores, in steps of a clock tick; from /proc/stat.
Result<Seconds> machine_work();

}  // namespace quintet::calibrate
