#include "sim/simulate/processor_curves.h"

#include <algorithm>

#include "sim/cost/collective_curve.h"
#include "sim/network/group_network.h"
#include "sim/quantity_text.h"

namespace quintet {

namespace {

bool uniform(const HostLayout& layout) {
  return std::all_of(layout.hosts.begin(), layout.hosts.end(), [&](const std::vector<int>& host) {
    return host.size() == layout.hosts.front().size();
  });
}

std::string counted(int number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

}  // namespace

ProcessorCurves::ProcessorCurves(const Topology& topology, const Network& network,
                                 const CostTable& costs)
    : topology_(topology),
      network_(network),
      costs_(costs.communication),
      calibrated_(costs.processors && !costs.communication.curves.empty()) {}

const std::vector<CurvePoint>* ProcessorCurves::of(const Collective& asked, Algorithm algorithm,
                                                   Axis axis, const GroupShape& shape,
                                                   const std::vector<DeviceId>& slots) {
  if (!calibrated_ || slots.size() < 2 || asked.size <= Bytes{}) return nullptr;
  const int ranks = static_cast<int>(slots.size());
  const CollectiveCurve* const curve =
      uniform(shape.layout)
          ? curve_for({asked.kind, ranks, shape.hosts(), algorithm, {}, network_of(slots)}, costs_)
          : nullptr;
  return noted(curve,
               {std::string(name_of(asked.kind)) + " by " + std::string(name_of(algorithm)) +
                    " among " + counted(ranks, "rank") + " on " + counted(shape.hosts(), "host"),
                axis, asked.size});
}

const std::vector<CurvePoint>* ProcessorCurves::of_message(DeviceId from, DeviceId to,
                                                           const MessagePattern& pattern) {
  if (!calibrated_ || from == to || pattern.size <= Bytes{}) return nullptr;
  const std::optional<CurveNetwork> network = network_of({from, to});
  return noted(
      message_curve_for(network, costs_),
      {network ? "messages between hosts" : "messages inside a host", pattern.axis, pattern.size});
}

std::optional<CurveNetwork> ProcessorCurves::network_of(const std::vector<DeviceId>& slots) {
  if (!router_) router_.emplace(topology_, network_);
  const std::optional<GroupNetwork> network = group_network(topology_, *router_, slots);
  if (!network) return std::nullopt;
  return CurveNetwork{network->slowest, network->longest};
}

template <class Curve>
const std::vector<CurvePoint>* ProcessorCurves::noted(const Curve* curve, const Asked& asked) {
  if (curve == nullptr) {
    remark(asked.what + ": not measured on such a network, modelled");
    return nullptr;
  }
  const CurveUse use{asked.axis, curve->residuals};
  if (std::find(use_.used.begin(), use_.used.end(), use) == use_.used.end())
    use_.used.push_back(use);
  if (!covers(curve->points, asked.size))
    remark(asked.what + ": " + text(asked.size) + ", measured from " +
           text(curve->points.front().size) + " to " + text(curve->points.back().size));
  return &curve->points;
}

void ProcessorCurves::remark(const std::string& sentence) {
  std::vector<std::string>& all = use_.outside;
  if (std::find(all.begin(), all.end(), sentence) == all.end()) all.push_back(sentence);
}

}  // namespace quintet
