// All that a run looks at before its first step: memory, the places it is to write to, cores, and
// how long it will take.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/launch/machine_limits.h"
#include "engine/train/training_inputs.h"

namespace quintet::engine {

enum class MemoryCheck { on, off };

enum class Estimate { wanted, left_out };

struct LookOptions {
  MemoryCheck memory = MemoryCheck::on;
  Estimate estimate = Estimate::wanted;  // takes some hundredths of a second
  std::string costs;                     // of the estimate; empty: the shipped table
  int ranks_here = 1;                    // on this machine
  std::string ranks_note;                // of those elsewhere: nothing is known of their machines
};

// What people are told, a line each; or why the run is refused: option or field, the figures, what
// would do. `free`: the machine's now, and that of the GPUs it computes on.
Result<std::vector<std::string>> look(const TrainingInputs& inputs, const TrainingOptions& training,
                                      const LookOptions& options, const MachineLimits& free,
                                      const std::vector<double>& free_of_gpus = {});

// Each is one of these, alone. Refused where what is needed is more than what is free: of all ranks
// here together by the machine, of one by the address space of a process.
Result<std::string> memory_line(const TrainingInputs& inputs, const TrainingOptions& training,
                                const LookOptions& options, const MachineLimits& free);
// The same of GPUs: rank r works on GPU r modulo their number. `free`: bytes of each, now.
Result<std::string> gpu_memory_line(const TrainingInputs& inputs, const LookOptions& options,
                                    const std::vector<double>& free);
// "8 ranks x 1 thread on 2 cores: ..."
std::string cores_line(const TrainingOptions& training, int ranks_here, const MachineLimits& free);
std::optional<Error> unwritable_outputs(const TrainingInputs& inputs,
                                        const TrainingOptions& training);

}  // namespace quintet::engine
