#include "sim/network/fluid/moving_flows.h"

#include <algorithm>
#include <utility>

namespace quintet {

MovingFlows::MovingFlows(std::vector<LinkShare> links)
    : links_(std::move(links)), lanes_(links_.size()) {}

void MovingFlows::enter(std::int32_t slot, const FlowDemand& demand) {
  if (static_cast<std::size_t>(slot) >= flows_.size())
    flows_.resize(static_cast<std::size_t>(slot) + 1);
  Flow& flow = at(slot);
  flow.demand = demand;
  flow.moving = Mark::on;
  flow.places.clear();
  for (std::size_t use = 0; use < flow.demand.uses.size(); ++use) {
    std::vector<Crossing>& crossings = lane(flow.demand.uses[use].link).crossings;
    flow.places.push_back(static_cast<std::int32_t>(crossings.size()));
    crossings.push_back({slot, static_cast<std::int32_t>(use)});
  }
  changed_flows_.push_back(slot);
}

void MovingFlows::leave(std::int32_t slot) {
  Flow& flow = at(slot);
  flow.moving = Mark::off;
  for (std::size_t use = 0; use < flow.demand.uses.size(); ++use) {
    const std::int32_t link = flow.demand.uses[use].link;
    std::vector<Crossing>& crossings = lane(link).crossings;
    const Crossing last = crossings.back();
    crossings[static_cast<std::size_t>(flow.places[use])] = last;
    at(last.slot).places[static_cast<std::size_t>(last.use)] = flow.places[use];
    crossings.pop_back();
    if (!crossings.empty()) mark(link);
  }
}

void MovingFlows::set_capacity(std::int32_t link, double capacity) {
  links_[static_cast<std::size_t>(link)].capacity = capacity;
  if (!lane(link).crossings.empty()) mark(link);
}

void MovingFlows::mark(std::int32_t link) {
  if (lane(link).changed == Mark::on) return;
  lane(link).changed = Mark::on;
  changed_links_.push_back(link);
}

bool MovingFlows::alone(const Flow& flow) const {
  return std::all_of(flow.demand.uses.begin(), flow.demand.uses.end(), [this](const Usage& usage) {
    return lanes_[static_cast<std::size_t>(usage.link)].crossings.size() == 1;
  });
}

void MovingFlows::begin_sharing() {
  ++visit_;
  rates_.clear();
}

void MovingFlows::end_sharing() {
  for (const std::int32_t link : changed_links_) lane(link).changed = Mark::off;
  changed_links_.clear();
  changed_flows_.clear();
}

std::span<const MovingFlows::Rate> MovingFlows::share_changed() {
  begin_sharing();
  for (const std::int32_t link : changed_links_) {
    visit_link(link);
    share_component();
  }
  for (const std::int32_t slot : changed_flows_) {
    const Flow& flow = at(slot);
    if (flow.moving == Mark::off || flow.visit == visit_) continue;
    if (alone(flow)) {
      rates_.push_back({slot, rate_alone(flow.demand)});
    } else {
      visit_flow(slot);
      share_component();
    }
  }
  end_sharing();
  return rates_;
}

std::span<const MovingFlows::Rate> MovingFlows::share_all() {
  begin_sharing();
  for (std::size_t slot = 0; slot < flows_.size(); ++slot)
    if (flows_[slot].moving == Mark::on) visit_flow(static_cast<std::int32_t>(slot));
  share_component();
  end_sharing();
  return rates_;
}

void MovingFlows::visit_flow(std::int32_t slot) {
  if (at(slot).visit == visit_) return;
  at(slot).visit = visit_;
  component_.push_back(slot);
}

void MovingFlows::visit_link(std::int32_t link) {
  Lane& visited = lane(link);
  if (visited.visit == visit_) return;
  visited.visit = visit_;
  visited.number = fill_.add_link(links_[static_cast<std::size_t>(link)]);
  for (const Crossing& crossing : visited.crossings) visit_flow(crossing.slot);
}

// Grows the component along links and flows until it is closed, then fills it.
void MovingFlows::share_component() {
  for (std::size_t next = 0; next < component_.size(); ++next) {
    const FlowDemand& demand = at(component_[next]).demand;
    fill_.add_flow(demand.weight, demand.bound);
    for (const Usage& usage : demand.uses) {
      visit_link(usage.link);
      fill_.add_use(lane(usage.link).number, usage);
    }
  }
  if (several_priorities()) {
    fill_.clear();
    return share_by_priority();
  }
  const std::span<const double> rates = fill_.solve();
  for (std::size_t next = 0; next < component_.size(); ++next)
    rates_.push_back({component_[next], rates[next]});
  component_.clear();
  fill_.clear();
}

bool MovingFlows::several_priorities() const {
  return std::any_of(component_.begin(), component_.end(), [this](std::int32_t slot) {
    return at(slot).demand.priority != at(component_.front()).demand.priority;
  });
}

// Rare enough to be written down anew each time.
void MovingFlows::share_by_priority() {
  std::vector<LinkShare> links;
  std::vector<FlowDemand> flows;
  for (const std::int32_t slot : component_) {
    flows.push_back(at(slot).demand);
    for (Usage& usage : flows.back().uses) {
      const auto number = static_cast<std::size_t>(lane(usage.link).number);
      if (links.size() <= number) links.resize(number + 1);
      links[number] = links_[static_cast<std::size_t>(usage.link)];
      usage.link = lane(usage.link).number;
    }
  }
  const std::vector<double> rates = fair_share(links, flows);
  for (std::size_t next = 0; next < component_.size(); ++next)
    rates_.push_back({component_[next], rates[next]});
  component_.clear();
}

}  // namespace quintet
