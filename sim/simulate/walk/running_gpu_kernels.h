// The kernel that runs on each class of ranks, and how communication beside it slows it
// (sim/cost/overlap_time.h): what is left of a kernel goes on at another pace whenever
// communication begins or ends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/base/digest.h"
#include "sim/base/event_queue.h"
#include "sim/cost/cost_table.h"
#include "sim/cost/overlap_time.h"
#include "sim/price/communications.h"
#include "sim/program/tasks.h"

namespace quintet {

class RunningGpuKernels {
 public:
  using Finished = std::function<void(std::int32_t actor, std::int32_t task, Instant since)>;

  // References must outlive this. `actors`: which of the kinds each computes as.
  RunningGpuKernels(EventQueue& events, const InstructionTable& table,
                    const std::vector<ComputeKind>& kinds, std::vector<std::int32_t> actors,
                    Finished finished);

  const CostTable& costs(std::int32_t actor) const { return *kinds_[kind(actor)].costs; }

  void begin(std::int32_t actor, std::int32_t task, std::int32_t instruction);
  // Kernels that begin from now on run at this share of the speed that the actor's kind has.
  void set_pace(std::int32_t actor, double share) {
    paces_[static_cast<std::size_t>(actor)] = share;
  }
  // The class of the kernel that runs now; none where none runs.
  std::optional<ComputeClass> computing(std::int32_t actor) const {
    const Kernel& kernel = running(actor);
    return kernel.task < 0 ? std::nullopt : std::optional(kernel.work);
  }

  // What runs on the actor, but for the number of its task, and what is beside it, from now.
  void tell(Digest& digest, std::int32_t actor) const;

  // Communication that holds SMs and draws memory bandwidth on the actor's GPU.
  void communication_begins(std::int32_t actor, const CommunicationPrice& price) {
    change(actor, price, +1);
  }
  void communication_ends(std::int32_t actor, const CommunicationPrice& price) {
    change(actor, price, -1);
  }

 private:
  struct Kernel {
    std::int32_t task = -1;  // -1: none runs
    KernelUse use;
    ComputeClass work = ComputeClass::product;
    Instant since, settled;
    double left = 0;    // seconds alone, gaps between launches included
    double factor = 1;  // how much slower it runs now
    EventId end;        // while it runs
  };
  struct Appetite {
    CommunicationBeside beside;
    int communications = 0;
  };

  const Kernel& running(std::int32_t actor) const {
    return kernels_[static_cast<std::size_t>(actor)];
  }
  Kernel& running(std::int32_t actor) { return kernels_[static_cast<std::size_t>(actor)]; }
  double factor(std::int32_t actor) const;
  void plan_end(std::int32_t actor);
  void change(std::int32_t actor, const CommunicationPrice& price, int sign);

  std::size_t kind(std::int32_t actor) const {
    return static_cast<std::size_t>(kind_of_actor_[static_cast<std::size_t>(actor)]);
  }

  EventQueue& events_;
  const std::vector<ComputeKind>& kinds_;
  std::vector<std::int32_t> kind_of_actor_;
  Finished finished_;
  std::vector<std::vector<KernelUse>> uses_;  // per kind and instruction
  std::vector<ComputeClass> classes_;         // per instruction
  std::vector<Kernel> kernels_;               // per actor
  std::vector<Appetite> appetites_;
  std::vector<double> paces_;  // per actor
};

}  // namespace quintet
