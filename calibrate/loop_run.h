// One plan of the loop: predicted, run and compared by the programs that users call themselves.
#pragma once

#include <filesystem>
#include <string>

#include "calibrate/loop_report.h"
#include "sim/result.h"

namespace quintet::calibrate {

struct LoopPlace {
  std::string topology, costs, data, kernels;  // as given on command lines
  int steps = 10, warm_up = 3;
  bool shaped = true;            // links of the topology, in network namespaces
  std::filesystem::path folder;  // where logs, timelines and comparisons stay
};

struct LoopCase {
  std::string model_file, model_name, plan_file, plan_name;
};

// Whether this process may make network namespaces.
bool namespaces_allowed();

// Fails with the name of the program that did; it said why on the standard error.
Result<LoopRow> run_case(const LoopCase& what, const LoopPlace& place);

}  // namespace quintet::calibrate
