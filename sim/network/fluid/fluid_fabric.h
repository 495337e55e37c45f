// Flows in flight on the event loop: each waits its latency without load, then moves its work at
// the max-min rate, re-solved once per instant for the connected part that changed (the selective
// and lazy update of SimGrid: src/kernel/lmm/System.hpp). Knows links by number only.
// A flow is done at an Instant rounded once, from the last change of its rate; several that are
// done at one instant call back in the order they were started. A flow of rate 0 waits for a
// change.
//
// For example 50 and 100 bytes over one link of 10 bytes/s. Both begin at 0, 5 bytes/s each, due at
// 10 and 20; the one wake in the queue is for 10. Then the first is done and leaves; the settle of
// that instant gives the second 10 bytes/s for its last 50, due at 15, and plans that wake. No wake
// for 20 was ever planned: the run ends at 15.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sim/base/event_queue.h"
#include "sim/base/units.h"
#include "sim/network/fabric.h"
#include "sim/network/fluid/fair_share.h"

namespace quintet {

struct FlowRequest {
  FlowDemand demand;
  double work = 0.0;  // units to move (bytes); 0: done when the latency is over
  Seconds latency;
  std::function<void()> done;  // may start further flows
  std::span<const SlackUse> presumed_slack{};
};

enum class Solver {
  incremental,
  from_scratch
};  // equal results (property H-6); the second checks the first

namespace fabrics {
extern const FabricRow fluid, fluid_from_scratch;
}

// Must outlive the events it leaves in the queue.
class FluidFabric final : public Fabric {
 public:
  FluidFabric(EventQueue& events, std::vector<LinkShare> links,
              Solver solver = Solver::incremental);
  ~FluidFabric() override;
  FluidFabric(const FluidFabric&) = delete;
  FluidFabric& operator=(const FluidFabric&) = delete;

  // One flow of what all phases load together.
  void start(MoveRequest request) override;
  void start_flow(FlowRequest request);
  void set_capacity(std::int32_t link, double capacity) override;
  std::vector<std::int32_t> overfull() const override;
  std::optional<std::uint64_t> state() const override;

  // Work x per_unit x count (property H-7).
  std::vector<double> carried() const override;
  std::size_t in_flight() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quintet
