// A run whose ranks are threads of this process.
#pragma once

#include "engine/train/training_inputs.h"
#include "sim/usage/verb.h"

namespace quintet::engine {

// Trains, says on the standard error what went wrong.
ExitCode run_in_threads(const TrainingInputs& inputs, const TrainingOptions& options);

}  // namespace quintet::engine
