#include "sim/network/fluid/fair_share.h"

#include <algorithm>
#include <functional>
#include <set>

#include "sim/network/fluid/water_fill.h"

namespace quintet {

namespace {

// Fills with the flows of one priority, whose rates it sets.
void fill_with(WaterFill& fill, std::span<const LinkShare> links, std::span<const FlowDemand> flows,
               int priority, std::span<double> rates) {
  fill.clear();
  for (const LinkShare& link : links) fill.add_link(link);
  for (const FlowDemand& flow : flows) {
    if (flow.priority != priority) continue;
    fill.add_flow(flow.weight, flow.bound);
    for (const Usage& usage : flow.uses) fill.add_use(usage.link, usage);
  }
  const std::span<const double> solved = fill.solve();
  auto next = solved.begin();
  for (std::size_t flow = 0; flow < flows.size(); ++flow)
    if (flows[flow].priority == priority) rates[flow] = *next++;
}

// The capacity that all flows together find, as links without loss.
std::vector<LinkShare> without_loss(std::span<const LinkShare> links,
                                    std::span<const FlowDemand> flows) {
  std::vector<std::int64_t> crossing(links.size(), 0);
  for (const FlowDemand& flow : flows)
    for (const Usage& usage : flow.uses)
      crossing[static_cast<std::size_t>(usage.link)] += usage.count;
  std::vector<LinkShare> without(links.begin(), links.end());
  for (std::size_t link = 0; link < links.size(); ++link)
    without[link] = {capacity_among(links[link], crossing[link]), links[link].sharing, 0.0};
  return without;
}

}  // namespace

std::vector<double> fair_share(std::span<const LinkShare> links,
                               std::span<const FlowDemand> flows) {
  std::vector<double> rates(flows.size(), std::numeric_limits<double>::infinity());
  std::set<int, std::greater<>> priorities;
  for (const FlowDemand& flow : flows) priorities.insert(flow.priority);
  WaterFill fill;
  if (priorities.size() == 1) {
    fill_with(fill, links, flows, *priorities.begin(), rates);
    return rates;
  }
  constexpr double nothing = 0x1p-30;  // of a link's capacity: what rounding leaves
  std::vector<LinkShare> left = without_loss(links, flows);
  const std::vector<LinkShare> whole = left;
  for (const int priority : priorities) {
    fill_with(fill, left, flows, priority, rates);
    for (std::size_t link = 0; link < left.size(); ++link) {
      const double rest = fill.left(static_cast<std::int32_t>(link));
      left[link].capacity = rest > nothing * whole[link].capacity ? rest : 0.0;
    }
  }
  return rates;
}

}  // namespace quintet
