// The GPU of this machine that calibration measures: what it is, and what it tells of itself.
#pragma once

#include <vector>

#include "calibrate/probes/probe_journal.h"
#include "kernels/device.h"
#include "sim/base/result.h"
#include "sim/cost/cost_table.h"

namespace quintet::calibrate {

// The first GPU. Fails where there is none, or where it cannot be opened, with the driver's words.
Result<kernels::DeviceProperties> gpu_here();

// Copies, launches and its memory's rate; gaps and the host's part of a step as the probes had
// them, where they ran.
std::optional<Error> add_gpu(const std::vector<ProbeRecord>& probes, CostTable& table);

}  // namespace quintet::calibrate
