// How much of a device's memory a rank is predicted to need at most, and what it then needed.
#pragma once

#include <string>
#include <vector>

#include "engine/device/arena.h"
#include "engine/train/step_figures.h"
#include "engine/train/surroundings.h"
#include "engine/train/training_inputs.h"
#include "kernels/device.h"

namespace quintet::engine {

// All kinds of sim/parallelism/memory.h, of the rank's stage.
std::size_t predicted_memory(const TrainingInputs& inputs, Rank rank);

// Taken at once, as far as the device has it for each of the ranks that share it; the rest when it
// is needed.
ArenaSize arena_size(std::size_t predicted, const kernels::Device& device, int ranks_per_device);

// "Memory of the GPU: at most 1.21 GiB, on rank 3; predicted 1.30 GiB (+7.4 %)."; empty where no
// rank has a device.
std::string memory_text(const std::vector<RankFigures>& figures);

}  // namespace quintet::engine
