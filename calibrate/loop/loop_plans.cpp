#include "calibrate/loop/loop_plans.h"

#include <algorithm>
#include <span>

#include "sim/compile/step_program.h"

namespace quintet::calibrate {
namespace {

using namespace literals;

struct Kind {
  const char* name;
  int tensor, pipeline;  // 1; 2; 0: all ranks
  int cuts;              // into how many micro-batches a replica's sequences are cut, where it can
  Sharding sharding = Sharding::none;
  Bytes bucket{};  // 0: as plans have it
  Recompute recompute = Recompute::none;
  AttentionChoice attention = AttentionChoice::flash;
  int shorter = 1;  // part of the length that sequences have, and as many more of them
  DataType gpu_type = DataType::bf16;
  Launch gpu_launch = Launch::graphs;
};

// In the order in which four ranks are told apart best.
constexpr Kind kinds[] = {
    {"data", 1, 1, 1},
    {"tensor2-pipeline2", 2, 2, 4},
    {"zero3", 1, 1, 1, Sharding::parameters},
    {"pipeline", 1, 0, 8},
    {"tensor2-data", 2, 1, 2},
    {"zero1", 1, 1, 2, Sharding::optimizer},
    {"data-buckets", 1, 1, 4, Sharding::none, 2_MB},
    {"tensor", 0, 1, 4},
    {"pipeline2-data", 1, 2, 4},
};

// Small first steps: what a plan can change where nobody else computes.
constexpr Kind kinds_of_one_gpu[] = {
    {"whole", 1, 1, 1},
    {"cut4", 1, 1, 4},
    {"recompute", 1, 1, 1, {}, {}, Recompute::full},
    {"unfused", 1, 1, 4, {}, {}, {}, AttentionChoice::unfused},
    {"half-length", 1, 1, 2, {}, {}, {}, AttentionChoice::flash, 2},
    {"fp32", 1, 1, 2, {}, {}, {}, AttentionChoice::flash, 1, DataType::fp32},
    {"eager", 1, 1, 4, {}, {}, {}, AttentionChoice::flash, 1, DataType::bf16, Launch::eager},
    {"selective", 1, 1, 2, {}, {}, Recompute::selective},
};

std::span<const Kind> kinds_for(const LoopWork& work) {
  const bool one_gpu = work.processor == Processor::gpu && work.ranks == 1;
  return one_gpu ? std::span<const Kind>(kinds_of_one_gpu) : std::span<const Kind>(kinds);
}

Plan plan_of(const Kind& kind, const LoopWork& work) {
  Plan plan;
  plan.name = kind.name;
  Parallelism& parallelism = plan.parallelism;
  parallelism.tensor = kind.tensor == 0 ? work.ranks : kind.tensor;
  parallelism.pipeline = kind.pipeline == 0 ? work.ranks : kind.pipeline;
  parallelism.data = work.ranks / (parallelism.tensor * parallelism.pipeline);
  parallelism.sharding = kind.sharding;
  const int replica = work.sequences * kind.shorter / std::max(1, parallelism.data);
  parallelism.micro_batches = std::clamp(kind.cuts, 1, std::max(1, replica));
  parallelism.micro_batch = replica / parallelism.micro_batches;
  parallelism.sequence_length = work.length / kind.shorter;
  parallelism.recompute = kind.recompute;
  parallelism.attention = kind.attention;
  parallelism.compute_type = DataType::fp32;
  if (work.processor == Processor::gpu) {
    parallelism.compute_type = kind.gpu_type;
    plan.host_net.launch = kind.gpu_launch;
  }
  if (kind.bucket > Bytes{}) plan.ccl.bucket = kind.bucket;
  return plan;
}

bool whole(const Plan& plan, const LoopWork& work) {
  const Parallelism& parallelism = plan.parallelism;
  return world_size(parallelism) == work.ranks &&
         global_batch(parallelism) * parallelism.sequence_length == work.sequences * work.length;
}

}  // namespace

std::vector<Plan> loop_plans(const Model& model, const Topology& topology, const LoopWork& work) {
  constexpr std::size_t most = 8;
  std::vector<Plan> plans;
  for (const Kind& kind : kinds_for(work)) {
    Plan plan = plan_of(kind, work);
    if (topology.protocol == NetworkProtocol::tcp)
      plan.network.mtu = 1448;  // what a packet of Ethernet carries of TCP
    const auto same = [&](const Plan& other) {
      return other.parallelism == plan.parallelism && other.ccl == plan.ccl &&
             other.host_net == plan.host_net;
    };
    if (plans.size() < most && whole(plan, work) &&
        std::none_of(plans.begin(), plans.end(), same) &&
        checked_step_program(model, plan, topology))
      plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace quintet::calibrate
