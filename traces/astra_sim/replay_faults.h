// Why ASTRA-sim's rules cannot time a workload: looked up before anything is simulated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "traces/astra_sim/astra_network.h"
#include "traces/astra_sim/astra_system.h"
#include "traces/workload/workload.h"

namespace quintet {

// Nothing: it can.
std::optional<Error> astra_replay_fault(const Workload& workload, const AstraNetwork& network,
                                        const AstraSystem& system, AstraBackend backend);

}  // namespace quintet
