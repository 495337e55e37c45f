#include "calibrate/command/gpu_costs.h"

#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>

#include "calibrate/device/device_costs.h"
#include "calibrate/machine/this_machine.h"
#include "engine/device/gpu_module.h"

namespace quintet::calibrate {
namespace {

// Operators' times were taken by the same recording: what it took for a gap is what they lack.
void take_margins(const std::vector<ProbeRecord>& probes, CostTable& table) {
  std::vector<StepMargins> all;
  for (const ProbeRecord& each : probes)
    if (each.margins) all.push_back(*each.margins);
  const auto margins = median_margins(all);
  if (!margins) {
    table.not_measured.emplace_back("what of a step is the host's alone");
    return;
  }
  table.launch.gap = margins->gap;
  table.launch.step = margins->around;
  table.launch.source += fmt::format("; gap and step: medians of {} probes", all.size());
}

}  // namespace

Result<kernels::DeviceProperties> gpu_here() try {
  const auto device = engine::open_gpu(0);
  if (!device) return device.error();
  return (*device)->properties();
} catch (const std::runtime_error& failure) {
  return Error{"GPU", failure.what()};
}

std::optional<Error> add_gpu(const std::vector<ProbeRecord>& probes, CostTable& table) {
  std::fprintf(stderr, "Copies and launches ...\n");
  const auto device = engine::open_gpu(0);
  if (!device) return device.error();
  const Result<DeviceCosts> costs = device_costs(**device, engine::open_gpu_recorder);
  if (!costs) return costs.error();
  put_into(table, *costs, device_text(costs->device) + ", " + where_and_when());
  if (!probes.empty()) take_margins(probes, table);
  return std::nullopt;
}

}  // namespace quintet::calibrate
