// Whether what a run is to begin with - weights, or a checkpoint - is there, whole and of this
// model, before any rank is started.
#pragma once

#include <optional>

#include "engine/train/training_inputs.h"
#include "sim/base/result.h"

namespace quintet::engine {

// The file or folder, what is wrong with it, and what would do. Of weights every tensor's name and
// shape is looked at, of a checkpoint that does not exceed 2 GB every byte, of larger ones the
// headers and names. Also refuses a folder with another run's checkpoints, which this one would mix
// with its own.
std::optional<Error> unusable_start(const TrainingInputs& inputs, const TrainingOptions& options);

}  // namespace quintet::engine
