// The cost table that `quintet calibrate` was asked for, measured.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "calibrate/command/calibrate_inputs.h"
#include "calibrate/command/calibrate_options.h"
#include "calibrate/messages/message_job.h"
#include "kernels/kernels.h"
#include "sim/base/result.h"
#include "sim/cost/cost_table.h"

namespace quintet::calibrate {

// Nothing where this build has none of that name.
std::unique_ptr<kernels::Kernels> kernels_of(const std::string& name);

// Takes as long as it was told; progress on the standard error. `cluster`: of ranks that mpirun or
// srun started; null: none.
Result<CostTable> calibrated_table(const CalibrateArguments& arguments,
                                   const CalibrateInputs& inputs, Cluster* cluster);

// A reader sees the file as it was, or all of the new one.
std::optional<Error> write_table(const std::filesystem::path& file, const CostTable& table);

}  // namespace quintet::calibrate
