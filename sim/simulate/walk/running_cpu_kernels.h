// The kernel that runs on each class of ranks whose threads share processor cores (processors.h):
// each is a flow over its pool, among the flows of communication.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/base/event_queue.h"
#include "sim/cost/cost_table.h"
#include "sim/network/fabric.h"
#include "sim/program/tasks.h"
#include "sim/simulate/fold/world.h"
#include "sim/simulate/walk/rank_operators.h"

namespace quintet {

class RunningCpuKernels {
 public:
  using Finished = std::function<void(std::int32_t actor, std::int32_t task, Instant since)>;

  // References must outlive this.
  RunningCpuKernels(const EventQueue& events, Fabric& fabric, const InstructionTable& table,
                    const RankOperators& operators, const std::vector<ComputeKind>& kinds,
                    const CostTable& costs, const FoldedWorld& world, Finished finished);

  // Whether the actor's kernels are this one's business.
  bool has(std::int32_t actor) const { return rank(actor).kernels >= 0; }
  // `micro_batch`: that the instruction is about; -1: none.
  void begin(std::int32_t actor, std::int32_t task, std::int32_t instruction, int micro_batch);
  // What the actor's thread does before a communication starts, and once more after it has ended.
  Seconds staging(std::int32_t actor, std::int32_t instruction) const {
    return has(actor) ? staging_[static_cast<std::size_t>(instruction)] : Seconds{};
  }
  // The thread works so long, as in a kernel.
  void occupy(std::int32_t actor, Seconds time, std::function<void()> done);
  // Another thread of the rank wants the cores so long, beside whatever its kernels do.
  void burden(std::int32_t actor, Seconds time);
  // What the thread works at from now on: a process that may run a share of the time only, whatever
  // it does.
  void set_speed(std::int32_t actor, double share) {
    speeds_[static_cast<std::size_t>(actor)] = share;
  }
  bool busy(std::int32_t actor) const { return busy_[static_cast<std::size_t>(actor)] != 0; }
  // Whether kernels have taken all cores that the actor's rank shares.
  bool crowded(std::int32_t actor) const;

 private:
  const RankClass& rank(std::int32_t actor) const {
    return world_.ranks[static_cast<std::size_t>(actor)];
  }

  const CommunicationPrice& cores_of(std::int32_t actor) const {
    return world_.prices[static_cast<std::size_t>(rank(actor).kernels)].price;
  }
  const std::vector<Usage>& pools_of(std::int32_t actor) const {
    return cores_of(actor).phases.front().uses;
  }
  void count(std::int32_t actor, double sign);

  const EventQueue& events_;
  Fabric& fabric_;
  const FoldedWorld& world_;
  Finished finished_;
  const std::vector<ComputeKind>& kinds_;
  std::vector<std::vector<std::vector<Seconds>>> times_;  // per kind, variant and instruction
  std::vector<Seconds> staging_;                          // per instruction
  std::vector<std::uint8_t> busy_;                        // per actor
  std::vector<double> taken_;   // per link: cores that running kernels want
  std::vector<double> speeds_;  // per actor
};

}  // namespace quintet
