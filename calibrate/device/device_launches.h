// What it takes the host to have a device do something, and the device to go from one kernel to the
// next: timed with a kernel that does next to nothing.
#pragma once

#include <optional>

#include "kernels/activity_recorder.h"
#include "kernels/device.h"
#include "sim/cost/cost_table.h"

namespace quintet::calibrate {

struct LaunchSweep {
  int kernels = 256;                        // queued in a row: fewer than a device's queue holds
  int small_graph = 64, large_graph = 512;  // kernels
  int repeats = 15;                         // of which the median counts
};

// Eager, graph and synchronise: of the host. A call that communicates is taken to cost what a
// kernel does.
LaunchCosts measured_launches(kernels::Device& device, const LaunchSweep& sweep = {});

// From a kernel's end to the start of the next one on its stream, which waits for it; by a recorder
// of what the device does, which is stopped. Nothing where it recorded fewer than two.
std::optional<Seconds> gap_between_kernels(kernels::Device& device,
                                           kernels::ActivityRecorder& recorder,
                                           const LaunchSweep& sweep = {});

}  // namespace quintet::calibrate
