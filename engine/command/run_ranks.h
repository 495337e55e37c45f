// The ranks of a run: one as this process, or all as its threads. Both say on the standard error
// what went wrong, and end after the step when SIGINT or SIGTERM asks for it (at once the second
// time).
#pragma once

#include "engine/command/run_arguments.h"
#include "engine/command/run_progress.h"
#include "engine/launch/launcher.h"
#include "engine/launch/rank_identity.h"
#include "engine/train/training_inputs.h"
#include "sim/usage/verb.h"

namespace quintet::engine {

// On the standard error, behind the rank's name: the launcher's, which it gives to every line of a
// rank, or our own.
void rank_complains(const RankIdentity& identity, const Error& error);

// Finds the others and trains.
RankExit run_rank(const RunArguments& arguments, const TrainingOptions& options,
                  const TrainingInputs& inputs, const RankIdentity& identity);

// Trains with all ranks as threads of this process. `command_line`: for whoever wants to go on.
ExitCode run_in_threads(const TrainingInputs& inputs, const TrainingOptions& options,
                        RunProgress& progress, const std::vector<std::string>& command_line);

}  // namespace quintet::engine
