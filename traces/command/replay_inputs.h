// What `quintet replay` is given: traces, the machine that they were recorded on, another one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/cost/cost_table.h"
#include "sim/plan/plan.h"
#include "sim/topology/faults/faults.h"
#include "sim/topology/topology.h"
#include "traces/replay/replay.h"

namespace quintet {

struct MachineNames {
  std::string recorded_on, topology;  // empty: not known; the recorded one
  std::string costs, plan;            // empty: the machine's; NCCL's and the usual decisions
  std::optional<int> hosts;
  std::vector<std::string> set;
  Faults faults;
};

// A machine with all that prices its communication.
struct NamedMachine {
  Topology topology;
  Plan plan;
  CostTable costs;
  std::string name;

  ReplayMachine machine() const { return {&topology, &plan, &costs}; }
};

struct ReplayMachines {
  std::optional<NamedMachine> recorded_on, on;
};

// Settings and faults are of the machine that is replayed on, which is the recorded one where no
// other is named. Fails where there are settings or faults and no machine is named at all.
Result<ReplayMachines> replay_machines(const MachineNames& names);

// What the other machine's GPU makes of kernels, by the cost tables of both: products by their peak
// rates (bf16, else what both tables have), others by the memories'. As no kernel's shape is known,
// all kernels may go by the one rate or by the other: `least` and `most`.
struct GpuChanges {
  GpuChange least, likely, most;
};
// None: one of the machines is not known, has no GPUs, or both have the same.
std::optional<GpuChanges> gpu_changes(const ReplayMachines& machines);

}  // namespace quintet
