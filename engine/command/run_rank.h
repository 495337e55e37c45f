// One rank of a job, as a process.
#pragma once

#include "engine/command/run_arguments.h"
#include "engine/launch/launcher.h"
#include "engine/launch/rank_identity.h"
#include "engine/train/training_inputs.h"

namespace quintet::engine {

// On the standard error, behind the rank's name: the launcher's, which it gives to every line of a
// rank, or our own.
void rank_complains(const RankIdentity& identity, const Error& error);

// Finds the others, trains, says on the standard error what went wrong.
RankExit run_rank(const RunArguments& arguments, const TrainingOptions& options,
                  const TrainingInputs& inputs, const RankIdentity& identity);

}  // namespace quintet::engine
