// `quintet run --shape TOPOLOGY --faults FILE`: reads the file, hears of steps in what rank 0
// prints, and keeps what was done in the log and the timeline.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/command/run_arguments.h"
#include "engine/emulated_cluster/fault_injector.h"
#include "engine/train/training_inputs.h"

namespace quintet::engine {

// Nothing: none were asked for. The error names the option, the file or the fault at fault, also
// of parts that are no links and cannot be shaped.
Result<std::optional<FaultPlan>> faults_asked(const RunArguments& arguments,
                                              const TrainingInputs& inputs);

// Tells the injector when steps begin, by lines that rank 0 prints (engine/train/step_log.h).
void hear(FaultInjector& injector, const std::string& line);

// Prints it, and adds it to the log where there is one: a record of its own ("record": "fault").
void keep(const InjectedFault& fault, const std::filesystem::path& log);

// Adds them to the timeline's file when the ranks have written it; nothing where there is none.
std::optional<Error> add_to_timeline(const std::vector<InjectedFault>& faults,
                                     const std::filesystem::path& timeline);

}  // namespace quintet::engine
