// Which of the CPU's kernels a run computes with.
#pragma once

#include <memory>
#include <string>

#include "engine/train/training_options.h"
#include "kernels/kernels.h"
#include "sim/base/result.h"

namespace quintet::engine {

// The word of --kernels.
std::string name_of(KernelChoice choice);
Result<std::unique_ptr<kernels::Kernels>> make_kernels(KernelChoice choice, int threads);

}  // namespace quintet::engine
