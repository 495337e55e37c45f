// A machine of ours as ASTRA-sim's inputs, so that workloads that we export (traces/chakra) can be
// run in ASTRA-sim. It is an approximation: what is lost is said.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/topology/topology.h"
#include "traces/astra_sim/astra_network.h"
#include "traces/astra_sim/astra_system.h"

namespace quintet {

struct AstraInputs {
  AstraNetwork network;  // ranks inside a host, then hosts; a dimension of one is left out
  AstraSystem system;
  std::vector<std::string> lost;  // a sentence each
  bool operator==(const AstraInputs&) const = default;
};

// Every host must have as many rank slots, and there must be two ranks or more.
Result<AstraInputs> astra_inputs_of(const Topology& topology);

// network.yml, system.json, remote_memory.json and lost.txt in a directory, which is made; files of
// these names are replaced. The error names what could not be written.
std::optional<Error> write_astra_inputs(const std::filesystem::path& directory,
                                        const AstraInputs& inputs);

}  // namespace quintet
