// Communication that has begun: its phases over the fabric, slower beside kernels and a burden on
// them (sim/cost/overlap_time.h).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/base/event_queue.h"
#include "sim/cost/cost_table.h"
#include "sim/network/fabric.h"
#include "sim/simulate/fold/world.h"
#include "sim/simulate/walk/link_traffic.h"
#include "sim/simulate/walk/running_cpu_kernels.h"
#include "sim/simulate/walk/running_gpu_kernels.h"

namespace quintet {

class Movement {
 public:
  // Since when it moved. Small ones (this and a number) cost no allocation.
  using Done = std::function<void(Instant moving)>;

  // References must outlive this.
  Movement(EventQueue& events, Fabric& fabric, RunningGpuKernels& kernels,
           const RunningCpuKernels& cpu_kernels, const CostTable& costs)
      : events_(events),
        fabric_(fabric),
        kernels_(kernels),
        cpu_kernels_(cpu_kernels),
        costs_(costs) {}

  // `actors`: all that take part. `later`: until the last of them is really there. `folded` must
  // outlive the movement.
  void start(std::span<const std::int32_t> actors, const FoldedPrice& folded, Bytes size,
             Seconds later, Done done);

  // Notes from now on what has moved, and when; `notes` outlives this.
  void note(const FoldedWorld& world, std::vector<NotedMove>& notes) {
    world_ = &world;
    notes_ = &notes;
  }

  // What is under way, times counted from now. Of one walk only: prices are known by their places.
  std::uint64_t state() const;

 private:
  // By what the actor computes now.
  double slowdown_on(std::int32_t actor, const CommunicationPrice& price) const;
  // The steps of messages that wait for one another, before data flows.
  struct Steps {
    int left = 0;
    Seconds each, longer;  // `longer`: beside that, where cores are taken
    std::vector<std::int32_t> actors;
    MoveRequest then;
  };
  void take_steps(Steps steps);

  // What has begun and is not done, by number.
  struct Moving {
    std::vector<std::int32_t> actors;
    const CommunicationPrice* price = nullptr;
    Instant since;
    Done done;
    const FoldedPrice* folded = nullptr;
    double bytes = 0;
    Instant began;
  };
  std::size_t free_number();
  void arrive(std::size_t number);

  EventQueue& events_;
  Fabric& fabric_;
  RunningGpuKernels& kernels_;
  const RunningCpuKernels& cpu_kernels_;
  const CostTable& costs_;
  std::vector<Moving> moving_;
  std::vector<std::size_t> free_;
  const FoldedWorld* world_ = nullptr;  // whose moves are noted
  std::vector<NotedMove>* notes_ = nullptr;
};

}  // namespace quintet
