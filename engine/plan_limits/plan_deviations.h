// Which of a plan's decisions the ranks of this engine do otherwise.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "sim/plan/plan.h"
#include "sim/plan/plan_deviation.h"
#include "sim/program/program.h"
#include "sim/topology/host_layout.h"
#include "sim/topology/topology.h"

namespace quintet::engine {

enum class RankPlaces {
  as_started,   // wherever a launcher put them; the network is what joins them there
  of_topology,  // each in its slot, on links shaped to the topology's (engine/emulated_cluster)
};

enum class Processor { cpu, gpu };

// What carries data between ranks.
enum class BackendKind {
  network,    // sockets or UCX, from the memory of hosts
  memory,     // ranks are threads of one process, on one processor
  nccl,       // NCCL's kernels
  delegates,  // the host: out of the GPU, through the network, into the other GPU
};

struct BackendKinds {
  BackendKind collectives = BackendKind::network, messages = BackendKind::network;
  bool operator==(const BackendKinds&) const = default;
};

struct EngineFacts {
  RankPlaces places = RankPlaces::as_started;
  std::vector<std::string> emulated;  // EmulatedCluster::deviations()
  Processor processor = Processor::cpu;
  BackendKinds backends;
};

// In the order of the plan's layers. Nothing is listed that the engine refuses to start with
// (engine/executor/support.h), nor a default that this topology gives no meaning: the fabric's
// routing where there is one way; nor what NCCL does otherwise (engine/nccl/nccl_plan.h).
// `topology`: what the plan was made for; null: not told.
std::vector<PlanDeviation> plan_deviations(const Plan& plan, const Topology* topology,
                                           const EngineFacts& facts);

// What CPU ranks have a schedule for, and do otherwise because of how the ranks of a communicator
// sit on hosts: pat of several ranks on each of several. `seats`: of every rank; empty: one host.
std::vector<PlanDeviation> unobeyed_on_hosts(const Program& program, const Ccl& ccl,
                                             const std::vector<Seat>& seats);

// The kinds of collectives that a program asks of a communicator.
std::set<CollectiveKind> kinds_on(const Program& program, CommunicatorId communicator);

}  // namespace quintet::engine
