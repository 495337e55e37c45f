#include "calibrate/device/device_costs.h"

#include <stdexcept>
#include <utility>

namespace quintet::calibrate {
namespace {

void add_gap(kernels::Device& device, const engine::OpenRecorder& open, const LaunchSweep& sweep,
             DeviceCosts& made) {
  const kernels::OpenedRecorder opened = open();
  const auto gap = opened.recorder == nullptr
                       ? std::nullopt
                       : gap_between_kernels(device, *opened.recorder, sweep);
  if (gap)
    made.launch.gap = *gap;
  else
    made.not_measured.push_back("the gap between two kernels" +
                                (opened.why_not.empty() ? "" : " (" + opened.why_not + ")"));
}

}  // namespace

Result<DeviceCosts> device_costs(kernels::Device& device, const engine::OpenRecorder& open,
                                 const DeviceSweep& sweep) try {
  DeviceCosts made;
  made.device = device.properties();
  made.launch = measured_launches(device, sweep.launches);
  MeasuredCopies copies = measured_copies(device, sweep.copies);
  made.copy = std::move(copies.costs);
  made.not_measured = std::move(copies.not_measured);
  made.memory_bandwidth = 2.0 * made.copy.device_to_device;
  add_gap(device, open, sweep.launches, made);
  return made;
} catch (const std::runtime_error& failure) {
  return Error{"GPU", failure.what()};
}

std::string device_text(const kernels::DeviceProperties& device) {
  std::string text = device.name + ", driver " + device.driver + ", CUDA " + device.runtime;
  if (!device.matrix_product.empty()) text += ", matrix products of " + device.matrix_product;
  if (!device.attention.empty()) text += ", attention of " + device.attention;
  return text;
}

void put_into(CostTable& table, const DeviceCosts& costs, const std::string& where) {
  table.sms = costs.device.multiprocessors;
  table.memory_bandwidth = costs.memory_bandwidth;
  table.copy = costs.copy;
  table.copy.source += "; " + where;
  table.copy.evidence = Evidence::measured;
  table.launch = costs.launch;
  table.launch.evidence = Evidence::measured;
  table.launch.source =
      "a kernel that adds two numbers, queued in rows and in graphs; a communication call taken as "
      "a "
      "kernel; " +
      where;
  for (const std::string& each : costs.not_measured) table.not_measured.push_back(each);
}

}  // namespace quintet::calibrate
