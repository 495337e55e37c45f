// Copies between GPUs' memories and the host's that are under way, per class of ranks.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "sim/base/event_queue.h"
#include "sim/cost/cost_table.h"
#include "sim/cost/kernel_time.h"
#include "sim/network/fabric.h"
#include "sim/simulate/fold/world.h"
#include "sim/simulate/walk/link_loads.h"
#include "sim/simulate/walk/link_traffic.h"
#include "sim/simulate/walk/running_gpu_kernels.h"

namespace quintet {

class RunningCopies {
 public:
  // References must outlive this.
  RunningCopies(EventQueue& events, Fabric& fabric, const RunningGpuKernels& kernels,
                const FoldedWorld& world)
      : events_(events),
        fabric_(fabric),
        kernels_(kernels),
        world_(world),
        under_way_(world.ranks.size()) {}

  // By the costs of the actor's GPU. Slower while as much goes the other way, which is known when
  // it starts.
  void start(std::int32_t actor, const Copy& copy, std::function<void()> done) {
    const CostTable& costs = kernels_.costs(actor);
    const RankClass& rank = world_.ranks[static_cast<std::size_t>(actor)];
    const bool leaves = copy.direction == CopyDirection::device_to_host;
    const std::int32_t price = leaves ? rank.copies_out : rank.copies_in;
    if (price < 0 || copy.direction == CopyDirection::device_to_device) {
      events_.after(duration(copy_time(copy.size, copy.direction, costs)), std::move(done));
      return;
    }
    auto& [out, in] = under_way_[static_cast<std::size_t>(actor)];
    const double slower = (leaves ? in : out) > 0 ? costs.copy.both_ways : 1.0;
    int& mine = leaves ? out : in;
    ++mine;
    ++counts_[{price, copy.size.value}];
    const FoldedPrice& folded = world_.prices[static_cast<std::size_t>(price)];
    fabric_.start({.phases = folded.price.phases,
                   .whole = folded.whole,
                   .presumed_slack = folded.slack,
                   .size = copy.size,
                   .bound = std::min(folded.price.bound / slower, folded.alone),
                   .latency = folded.price.latency,
                   .done = [this, &mine, price, size = copy.size.value, began = events_.now(),
                            done = std::move(done)] {
                     --mine;
                     if (notes_ != nullptr)
                       notes_->push_back({price, size, began, began, events_.now()});
                     done();
                   }});
  }

  // What those that load links carried.
  const CopyCounts& counts() const { return counts_; }

  // Notes from now on what has moved, and when; `notes` outlives this.
  void note(std::vector<NotedMove>& notes) { notes_ = &notes; }

 private:
  EventQueue& events_;
  Fabric& fabric_;
  const RunningGpuKernels& kernels_;
  const FoldedWorld& world_;
  std::vector<std::pair<int, int>> under_way_;  // per actor: out, in
  CopyCounts counts_;
  std::vector<NotedMove>* notes_ = nullptr;
};

}  // namespace quintet
