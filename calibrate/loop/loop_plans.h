// Plans that differ in kind, for ranks of one machine. Pure.
#pragma once

#include <vector>

#include "calibrate/machine/processor_choice.h"
#include "sim/model/model.h"
#include "sim/plan/plan.h"
#include "sim/topology/topology.h"

namespace quintet::calibrate {

struct LoopWork {
  int ranks = 4;
  int sequences = 16;  // of a step, whatever the plan
  int length = 128;
  Processor processor = Processor::cpu;
};

// Several ranks get data parallelism, also in small buckets, ZeRO-1 and ZeRO-3; tensor and pipeline
// parallelism of half the ranks and of all, and both together. One GPU gets large and small
// micro-batches, kinds of recomputing, attention fused and not, half the length, fp32, steps
// launched as graphs and kernel by kernel. All plans are valid for the model and have as many
// tokens; there are at most 8.
std::vector<Plan> loop_plans(const Model& model, const Topology& topology, const LoopWork& work);

}  // namespace quintet::calibrate
