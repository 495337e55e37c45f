// Where a calibration measures, in words that its files keep.
#pragma once

#include <optional>
#include <string>

#include "calibrate/command/calibrate_options.h"
#include "calibrate/probes/probe.h"
#include "kernels/device.h"

namespace quintet::calibrate {

// This machine's GPU, where that is to compute.
using Gpu = std::optional<kernels::DeviceProperties>;

std::string where_and_when(const Gpu& gpu);

// What all probes of a journal share; their own sizes are in their names.
std::string conditions_of(const CalibrateArguments& arguments, const Topology& topology,
                          const ProbeRange& range, const Gpu& gpu);

std::string journal_of(const CalibrateArguments& arguments);

}  // namespace quintet::calibrate
