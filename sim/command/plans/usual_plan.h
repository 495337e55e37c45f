// The plan that somebody would start with who has searched nothing: what advice compares a plan's
// decisions with (sim/advice).
#pragma once

#include <string>

#include "sim/base/result.h"
#include "sim/command/inputs.h"
#include "sim/plan/plan.h"

namespace quintet {

struct UsualPlan {
  Plan plan;
  std::string is;  // what it is, for a sentence: "TP 8 x PP 4 x DP 32, 1f1b, ..."
};

// For the same training as `chosen` - global batch, sequence length and samples, number types,
// optimizer, clipping, offloading - on the same ranks:
//   parallelism  as `quintet plan new` says (plan_start.h), micro-batches of one sequence, but
//                leaving a ninth of the memory free
//   ccl          NCCL's own choice, gradients and gathers overlapped, buckets as Megatron-LM has
//                them: max(40 million, 1 million x replicas) elements (megatron/core/distributed/
//                distributed_data_parallel.py)
//   intra_inter  collectives flat, PXN as NCCL has it, ranks in the order of hosts
//   host_net     GPUDirect RDMA, one queue pair (NCCL_IB_QPS_PER_CONNECTION), eager launches
//   network      rail-pinned on InfiniBand, whose subnet manager sets routes by destination; ECMP
//                on Ethernet
// Where costs are profiles of whole stages the layout stays, and its order is 1F1B. Machines
// without GPUs deliver as `chosen` does, for they have no other way.
Result<UsualPlan> usual_plan(const Inputs& inputs, const Plan& chosen);

}  // namespace quintet
