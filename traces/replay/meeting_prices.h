// What the collectives and messages of a workload cost on a machine: the simulator's own prices
// (sim/price), asked once of each that is alike.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/result.h"
#include "sim/cost/cost_table.h"
#include "sim/plan/plan.h"
#include "sim/price/communications.h"
#include "sim/topology/topology.h"
#include "traces/replay/recorded_times.h"
#include "traces/workload/workload.h"

namespace quintet {

// All must outlive what is made with it. Of the plan: ccl, intra_inter, host_net and network.
struct ReplayMachine {
  const Topology* topology = nullptr;
  const Plan* plan = nullptr;
  const CostTable* costs = nullptr;
};

struct MeetingPrices {
  std::vector<CommunicationPrice> prices;  // per meeting; `detail` counts `details`
  std::vector<LinkShare> links;
  std::vector<std::string> details;
  MeasuredMoves measured;
};

// Ranks of the job take the machine's slots as the plan places them: of `replicas` jobs side by
// side one after the other, which meet in what serves the data axis; a price is then that of what
// all of them do at once. Fails where the machine has too few slots.
Result<MeetingPrices> meeting_prices(const Workload& workload, const RecordedTimes& times,
                                     const ReplayMachine& machine, int replicas = 1);

}  // namespace quintet
