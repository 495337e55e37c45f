// All of a run's ranks as threads of this process: on one device, or on CPU cores.
#pragma once

#include <functional>
#include <memory>

#include "engine/train/training.h"

namespace quintet::engine {

// Called by every rank's thread: a GPU is opened by each that uses it. The same device on all.
using DeviceOpener = std::function<Result<std::shared_ptr<kernels::Device>>()>;

// `open` empty: on CPU cores, by the kernels of the options. The error names the rank that failed
// first; by then all have ended.
Result<TrainingEnd> train_in_threads(const TrainingInputs& inputs, const TrainingOptions& options,
                                     const DeviceOpener& open, const TrainingHooks& hooks);

}  // namespace quintet::engine
