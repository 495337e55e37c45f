// One rank of a job, as a process.
#pragma once

#include "engine/command/run_arguments.h"
#include "engine/launch/launcher.h"
#include "engine/launch/rank_identity.h"
#include "engine/train/training_inputs.h"

namespace quintet::engine {

// Finds the others, trains, says on the standard error what went wrong.
RankExit run_rank(const RunArguments& arguments, const TrainingOptions& options,
                  const TrainingInputs& inputs, const RankIdentity& identity);

}  // namespace quintet::engine
