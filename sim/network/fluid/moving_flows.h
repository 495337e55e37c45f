// The flows that load links now: which link has which flows, what changed since the last sharing,
// and the new rates of the connected parts that changed. Knows nothing of time. Inside the room
// only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/network/fluid/fair_share.h"
#include "sim/network/fluid/water_fill.h"

namespace quintet {

class MovingFlows {
 public:
  struct Rate {
    std::int32_t slot = 0;
    double rate = 0.0;
  };

  explicit MovingFlows(std::vector<LinkShare> links);

  void enter(std::int32_t slot, const FlowDemand& demand);
  void leave(std::int32_t slot);
  void set_capacity(std::int32_t link, double capacity);
  const FlowDemand& demand(std::int32_t slot) const { return at(slot).demand; }
  std::size_t links() const { return links_.size(); }
  // For a flow that shares no link with another.
  double rate_alone(const FlowDemand& demand) const { return quintet::rate_alone(links_, demand); }

  // Something entered, left others behind, or changed since the last sharing.
  bool changed() const { return !changed_links_.empty() || !changed_flows_.empty(); }
  // New rates; flows of parts that did not change are left out. Valid until the next call.
  std::span<const Rate> share_changed();
  // Rates of all flows, all parts filled as one problem: checks the other.
  std::span<const Rate> share_all();

 private:
  enum class Mark : std::uint8_t { off, on };
  struct Flow {
    FlowDemand demand;
    std::uint64_t visit = 0;           // the sharing that last saw it
    std::vector<std::int32_t> places;  // per use: where the link's list has this flow
    Mark moving = Mark::off;
  };
  struct Crossing {
    std::int32_t slot = 0;
    std::int32_t use = 0;
  };
  struct Lane {
    std::vector<Crossing> crossings;
    std::uint64_t visit = 0;
    std::int32_t number = 0;  // in the problem being filled
    Mark changed = Mark::off;
  };

  Flow& at(std::int32_t slot) { return flows_[static_cast<std::size_t>(slot)]; }
  const Flow& at(std::int32_t slot) const { return flows_[static_cast<std::size_t>(slot)]; }
  Lane& lane(std::int32_t link) { return lanes_[static_cast<std::size_t>(link)]; }
  void begin_sharing();
  void end_sharing();
  void mark(std::int32_t link);
  bool alone(const Flow& flow) const;
  void visit_flow(std::int32_t slot);
  void visit_link(std::int32_t link);
  void share_component();
  bool several_priorities() const;
  void share_by_priority();

  std::vector<LinkShare> links_;
  std::vector<Lane> lanes_;  // one per link
  std::vector<Flow> flows_;  // by slot
  std::vector<std::int32_t> changed_links_, changed_flows_;
  std::vector<std::int32_t> component_;  // slots, in the order of the problem being filled
  std::vector<Rate> rates_;
  WaterFill fill_;
  std::uint64_t visit_ = 0;
};

}  // namespace quintet
