// Plans that differ in kind, for ranks of one machine. Pure.
#pragma once

#include <vector>

#include "sim/model/model.h"
#include "sim/plan/plan.h"
#include "sim/topology/topology.h"

namespace quintet::calibrate {

struct LoopWork {
  int ranks = 4;
  int sequences = 16;  // of a step, whatever the plan
  int length = 128;
};

// Data parallelism, also in small buckets, ZeRO-1 and ZeRO-3; tensor and pipeline parallelism of
// half the ranks and of all, and both together: as far as they are valid for the model, at most 8.
std::vector<Plan> loop_plans(const Model& model, const Topology& topology, const LoopWork& work);

}  // namespace quintet::calibrate
