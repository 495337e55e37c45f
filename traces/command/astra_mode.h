// `quintet replay --astra-network NET.yml --astra-system SYS.json`: by ASTRA-sim's own rules.
#pragma once

#include <string>

#include "sim/usage/verb.h"
#include "traces/workload/workload.h"

namespace quintet {

struct AstraNames {
  std::string network, system;
  bool aware = false;  // of congestion
  bool wanted() const { return !network.empty() || !system.empty(); }
};

// Prints each rank's time in nanoseconds, as ASTRA-sim does.
ExitCode replay_as_astra(const AstraNames& names, const Workload& workload, bool json);

}  // namespace quintet
