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

// As this_machine.h says it, with the GPU in front where one computes.
std::string where_and_when(const Gpu& gpu);

// What all probes of a journal share; their own sizes are in their names.
std::string conditions_of(const CalibrateArguments& arguments, const Topology& topology,
                          const ProbeRange& range, const Gpu& gpu);

// Where the journal is kept: where the options say, else beside the output.
std::string journal_of(const CalibrateArguments& arguments);

}  // namespace quintet::calibrate
