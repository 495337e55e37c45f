// How a model is trained on a machine: the five layers' decisions, in the order a byte meets them.
#pragma once

#include <string>

#include "sim/plan/ccl.h"
#include "sim/plan/host_net.h"
#include "sim/plan/intra_inter.h"
#include "sim/plan/network.h"
#include "sim/plan/parallelism.h"
#include "sim/plan/whole_run.h"

namespace quintet {

struct Plan {
  std::string name;
  Parallelism parallelism;  // who computes what
  Ccl ccl;                  // which steps a collective takes
  IntraInter intra_inter;   // what stays inside a host, what leaves it
  HostNet host_net;         // how a byte gets from GPU memory to the wire
  Network network;          // which way it goes
  WholeRun run;             // what a whole run does beside its steps
  bool operator==(const Plan&) const = default;
};

}  // namespace quintet
