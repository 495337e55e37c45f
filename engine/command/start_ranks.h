// Starts a run's ranks where they belong: here, on other hosts, or in an emulated cluster.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/command/run_arguments.h"
#include "engine/launch/launcher.h"
#include "engine/train/training_inputs.h"
#include "sim/topology/faults/fault_file.h"

namespace quintet::engine {

// Which address a rank binds to, for the rank's process; the word of --address where it is not set.
constexpr const char* address_variable = "QUINTET_ADDRESS";

struct RanksToStart {
  const RunArguments& arguments;
  const TrainingInputs& inputs;
  std::vector<std::string> command_line;  // behind the program's name
  int world = 1;
  std::optional<FaultPlan> faults{};       // for shaped links
  std::function<void()> about_to_start{};  // there is a place for all of them
  // launcher.h
  std::function<void()> before_output{};
  std::function<void(const std::string& line)> after_output{};
};

// What an emulated cluster for the run would not do of its topology, a sentence each; or why there
// can be none.
Result<std::vector<std::string>> deviations_by_emulation(const TrainingInputs& inputs);

// How many of so many ranks this machine holds.
Result<int> ranks_here(const RunArguments& arguments, int world);

// Until all have ended.
Result<LaunchEnd> start_ranks(const RanksToStart& ranks);

}  // namespace quintet::engine
