// Files that `quintet replay` writes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/timeline/timeline.h"
#include "sim/topology/topology.h"
#include "traces/workload/workload.h"

namespace quintet {

struct ReplayOutputs {
  std::string timeline;  // by its ending: .pftrace Perfetto's protobuf, .csv a table, else JSON
  std::string chakra;    // prefix of a file per rank
  std::string kineto;    // folder for a file per rank
  std::string astra;     // folder for a machine as ASTRA-sim's inputs
};

// Before any work is done: a place that cannot be written to, or that is one of the traces read.
std::optional<Error> wrong_with(const ReplayOutputs& outputs,
                                const std::vector<std::string>& traces);

// What was replayed, the workload as it was read, and the machine; null: none was named.
struct Replayed {
  const Timeline& timeline;
  const Workload& workload;
  const Topology* machine = nullptr;
};
std::optional<Error> write_outputs(const ReplayOutputs& outputs, const Replayed& what);

}  // namespace quintet
