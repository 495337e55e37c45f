#include "sim/price/processor_curves.h"

#include "sim/cost/collective_curve.h"

namespace quintet {

const std::vector<CurvePoint>* ProcessorCurves::of(const Collective& asked, Algorithm algorithm,
                                                   Axis axis, const HostLayout& layout) {
  if (!calibrated_ || layout.slots.size() < 2 || asked.size <= Bytes{}) return nullptr;
  const int ranks = static_cast<int>(layout.slots.size());
  const int hosts = static_cast<int>(layout.hosts.size());
  const CollectiveCurve* const curve =
      uniform(layout)
          ? curve_for({asked.kind, ranks, hosts, algorithm, {}, used_.network_of(layout.slots)},
                      costs_)
          : nullptr;
  return noted(curve, {curve_text(asked.kind, std::string(name_of(algorithm)), ranks, hosts), axis,
                       asked.size});
}

const std::vector<CurvePoint>* ProcessorCurves::of_message(DeviceId from, DeviceId to,
                                                           const MessagePattern& pattern) {
  if (!calibrated_ || from == to || pattern.size <= Bytes{}) return nullptr;
  const std::optional<CurveNetwork> network = used_.network_of({from, to});
  return noted(
      message_curve_for(network, costs_),
      {network ? "messages between hosts" : "messages inside a host", pattern.axis, pattern.size});
}

template <class Curve>
const std::vector<CurvePoint>* ProcessorCurves::noted(const Curve* curve,
                                                      const UsedCurves::Priced& asked) {
  if (curve == nullptr) {
    used_.remark(asked.what + ": not measured on such a network, modelled");
    return nullptr;
  }
  used_.note(*curve, asked);
  return &curve->points;
}

}  // namespace quintet
