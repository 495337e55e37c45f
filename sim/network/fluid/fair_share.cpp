#include "sim/network/fluid/fair_share.h"

#include "sim/network/fluid/water_fill.h"

namespace quintet {

std::vector<double> fair_share(std::span<const LinkShare> links,
                               std::span<const FlowDemand> flows) {
  WaterFill fill;
  for (const LinkShare& link : links) fill.add_link(link);
  for (const FlowDemand& flow : flows) {
    fill.add_flow(flow.weight, flow.bound);
    for (const Usage& usage : flow.uses) fill.add_use(usage.link, usage);
  }
  const std::span<const double> rates = fill.solve();
  return {rates.begin(), rates.end()};
}

}  // namespace quintet
