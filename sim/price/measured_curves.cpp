#include "sim/price/measured_curves.h"

#include <algorithm>
#include <array>

#include "sim/cost/collective_curve.h"
#include "sim/plan/delivery.h"

namespace quintet {
namespace {

// Smaller ones take their latency and nothing to speak of.
constexpr Bytes worth_a_remark{4096};

UsedCurves::Priced priced(const AskedOfNccl& asked, const std::string& method) {
  return {curve_text(asked.collective.kind, method, asked.shape.ranks, asked.shape.nodes),
          asked.axis, asked.collective.size};
}

// NCCL's kernels were timed; between hosts, with NICs that read the GPUs' memory.
bool as_timed(Delivery delivery, int hosts) {
  const DeliveryRow& row = row_of(delivery);
  return row.driver == Driver::kernels && (hosts == 1 || row.memory == WireMemory::gpu);
}

bool is_free(const CollectiveRule& rule) {
  return !rule.algorithm && !rule.protocol;
}

std::string method_of(const CollectiveCurve& curve) {
  if (!curve.algorithm) return "NCCL's choice";
  return std::string(name_of(*curve.algorithm)) +
         (curve.protocol ? " " + std::string(name_of(*curve.protocol)) : "");
}

std::string method_of(const TunerChoice& choice) {
  return std::string(name_of(choice.algorithm)) + " " + std::string(name_of(choice.protocol));
}

}  // namespace

std::optional<Seconds> GpuCurves::of(const AskedOfNccl& asked) {
  // In this order; the formula is what is left.
  constexpr std::array known{&GpuCurves::measured, &GpuCurves::derived};
  if (!asked.rule.channels)
    for (const auto source : known)
      if (const auto time = (this->*source)(asked)) return time;
  used_.note(costs_.residuals, priced(asked, ""), formula(asked));
  remark_missing(priced(asked, is_free(asked.rule) ? "NCCL's choice" : method_of(asked.choice)));
  return std::nullopt;
}

// Once for a group, whatever its sizes; where a curve is too short, that has been said.
void GpuCurves::remark_missing(const UsedCurves::Priced& priced) {
  const auto& said = used_.moves().outside;
  const bool known = std::any_of(said.begin(), said.end(), [&](const std::string& sentence) {
    return sentence.starts_with(priced.what + ": ");
  });
  if (calibrated_ && !known && priced.size > worth_a_remark)
    used_.remark(priced.what + ": not measured on such a network, NCCL's formula");
}

bool GpuCurves::any_curve(const AskedOfNccl& asked) const {
  return std::any_of(costs_.curves.begin(), costs_.curves.end(), [&](const CollectiveCurve& each) {
    return each.kind == asked.collective.kind && each.ranks == asked.shape.ranks &&
           each.hosts == asked.shape.nodes;
  });
}

bool GpuCurves::asks_network(const AskedOfNccl& asked) const {
  return asked.shape.nodes > 1 && any_curve(asked);
}

// Ways through a network are not looked for where there is no curve anyway.
const CollectiveCurve* GpuCurves::curve(const AskedOfNccl& asked, bool chosen) {
  if (!any_curve(asked)) return nullptr;
  const int hosts = asked.shape.nodes;
  CurveQuery query{asked.collective.kind, asked.shape.ranks, hosts, {}, {}, {}};
  if (chosen) {
    query.algorithm = asked.choice.algorithm;
    query.protocol = asked.choice.protocol;
  }
  if (hosts > 1) query.network = used_.network_of(asked.layout.slots);
  return curve_for(query, costs_);
}

std::optional<Seconds> GpuCurves::measured(const AskedOfNccl& asked) {
  const bool timed = as_timed(asked.delivery, asked.shape.nodes);
  if (costs_.curves.empty() || !timed || !uniform(asked.layout)) return std::nullopt;
  const Bytes size = asked.collective.size;
  for (const bool chosen : {false, true}) {
    if (!chosen && !is_free(asked.rule)) continue;
    const CollectiveCurve* const known = curve(asked, chosen);
    if (known == nullptr) continue;
    const UsedCurves::Priced what = priced(asked, method_of(*known));
    if (covers(known->points, size)) {
      used_.note(*known, what);
      return time_along(known->points, size);
    }
    if (size > worth_a_remark) used_.remark_outside(*known, what);
  }
  return std::nullopt;
}

std::optional<Seconds> GpuCurves::derived(const AskedOfNccl& asked) {
  const CommunicatorShape& shape = asked.shape;
  if (shape.nodes != 1 || !is_free(asked.rule) || !shape.nvswitch || shape.ranks < 2)
    return std::nullopt;
  const auto derived =
      derived_collective(asked.collective.kind, shape.ranks, asked.collective.size, costs_);
  if (!derived) return std::nullopt;
  const Seconds time = std::max(*derived, formula(asked));
  used_.note(widest_plain(), priced(asked, ""), time);
  return time;
}

Seconds GpuCurves::formula(const AskedOfNccl& asked) const {
  return asked.choice.latency * costs_.latency_factor +
         asked.collective.size / (asked.choice.bandwidth * costs_.bandwidth_factor);
}

Residuals GpuCurves::widest_plain() const {
  Residuals widest = costs_.residuals;
  for (const CollectiveCurve& each : costs_.curves)
    if (!each.algorithm && each.residuals.p95 - each.residuals.p05 > widest.p95 - widest.p05)
      widest = each.residuals;
  return widest;
}

const std::vector<CurvePoint>* GpuCurves::of_message(DeviceId from, DeviceId to, Delivery delivery,
                                                     const MessagePattern& pattern) {
  const bool timed = as_timed(delivery, 2);  // inside a host as between two
  if (!on_gpus_ || costs_.messages.empty() || !timed || from == to || pattern.size <= Bytes{})
    return nullptr;
  const std::optional<CurveNetwork> network = used_.network_of({from, to});
  const UsedCurves::Priced priced{
      network ? "messages between GPUs of two hosts" : "messages between GPUs of a host",
      pattern.axis, pattern.size};
  const MessageCurve* const known = message_curve_for(network, costs_);
  if (known == nullptr) {
    remark_missing(priced);
    return nullptr;
  }
  used_.note(*known, priced);
  return &known->points;
}

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
