// Copies between GPUs' memories and the host's that are under way, per class of ranks.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "sim/base/event_queue.h"
#include "sim/cost/cost_table.h"
#include "sim/cost/kernel_time.h"
#include "sim/network/fabric.h"
#include "sim/simulate/fold/world.h"

namespace quintet {

class RunningCopies {
 public:
  // References must outlive this.
  RunningCopies(EventQueue& events, Fabric& fabric, const CostTable& costs,
                const FoldedWorld& world)
      : events_(events),
        fabric_(fabric),
        costs_(costs),
        world_(world),
        under_way_(world.ranks.size()) {}

  // Slower while as much goes the other way, which is known when it starts.
  void start(std::int32_t actor, const Copy& copy, std::function<void()> done) {
    const RankClass& rank = world_.ranks[static_cast<std::size_t>(actor)];
    const bool leaves = copy.direction == CopyDirection::device_to_host;
    const std::int32_t price = leaves ? rank.copies_out : rank.copies_in;
    if (price < 0 || copy.direction == CopyDirection::device_to_device) {
      events_.after(duration(copy_time(copy.size, copy.direction, costs_)), std::move(done));
      return;
    }
    auto& [out, in] = under_way_[static_cast<std::size_t>(actor)];
    const double slower = (leaves ? in : out) > 0 ? costs_.copy.both_ways : 1.0;
    int& mine = leaves ? out : in;
    ++mine;
    const CommunicationPrice& path = world_.prices[static_cast<std::size_t>(price)];
    fabric_.start({path.phases, copy.size, path.bound / slower, path.latency,
                   [&mine, done = std::move(done)] {
                     --mine;
                     done();
                   }});
  }

 private:
  EventQueue& events_;
  Fabric& fabric_;
  const CostTable& costs_;
  const FoldedWorld& world_;
  std::vector<std::pair<int, int>> under_way_;  // per actor: out, in
};

}  // namespace quintet
