// What of a cost table a GPU tells of itself, with no training: copies, launches, its memory's
// rate.
#pragma once

#include <string>
#include <vector>

#include "calibrate/device/device_copies.h"
#include "calibrate/device/device_launches.h"
#include "engine/recording/step_capture.h"
#include "sim/base/result.h"

namespace quintet::calibrate {

struct DeviceSweep {
  CopySweep copies = usual_copies();
  LaunchSweep launches;
};

struct DeviceCosts {
  kernels::DeviceProperties device;
  CopyCosts copy;
  LaunchCosts launch;
  Bandwidth
      memory_bandwidth;  // a copy inside the device's memory reads and writes; 0: not measured
  std::vector<std::string> not_measured;
};

// `open` is asked last: who records what a device does makes launches dearer. Fails with the
// device's own words where it does.
Result<DeviceCosts> device_costs(kernels::Device& device, const engine::OpenRecorder& open,
                                 const DeviceSweep& sweep = {});

// "NVIDIA H200, driver 580.159, CUDA 13.0, matrix products of cuBLASLt 13.0.2".
std::string device_text(const kernels::DeviceProperties& device);

// Into the table of runs on this device; `where`: where and when that was.
void put_into(CostTable& table, const DeviceCosts& costs, const std::string& where);

}  // namespace quintet::calibrate
