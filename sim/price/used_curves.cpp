#include "sim/price/used_curves.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/quantity_text.h"
#include "sim/cost/collective_curve.h"
#include "sim/network/route/network_rates.h"

namespace quintet {

namespace {

std::string counted(int number, const std::string& what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

}  // namespace

std::string curve_text(CollectiveKind kind, const std::string& method, int ranks, int hosts) {
  return std::string(name_of(kind)) + " by " + method + " among " + counted(ranks, "rank") +
         " on " + counted(hosts, "host");
}

std::optional<CurveNetwork> UsedCurves::network_of(const std::vector<DeviceId>& slots) {
  const std::optional<GroupNetwork> network = group_network(topology_, router_, slots);
  if (!network) return std::nullopt;
  return CurveNetwork{network->slowest, network->longest};
}

template <class Curve>
void UsedCurves::note(const Curve& curve, const Priced& priced) {
  const Residuals inside = residuals_at(curve.residuals, curve.by_size, priced.size);
  add({priced.axis, inside, residuals_along(curve.points, inside, priced.size),
       time_along(curve.points, priced.size)});
  remark_outside(curve, priced);
}

void UsedCurves::note(const Residuals& residuals, const Priced& priced, Seconds time) {
  add({priced.axis, residuals, residuals, time});
}

template <class Curve>
void UsedCurves::remark_outside(const Curve& curve, const Priced& priced) {
  if (covers(curve.points, priced.size)) return;
  remark(priced.what + ": " + text(priced.size) + ", measured from " +
         text(curve.points.front().size) + " to " + text(curve.points.back().size));
}

template void UsedCurves::note(const CollectiveCurve&, const Priced&);
template void UsedCurves::note(const MessageCurve&, const Priced&);
template void UsedCurves::remark_outside(const CollectiveCurve&, const Priced&);
template void UsedCurves::remark_outside(const MessageCurve&, const Priced&);

void UsedCurves::remark(const std::string& sentence) {
  std::vector<std::string>& all = moves_.outside;
  if (std::find(all.begin(), all.end(), sentence) == all.end()) all.push_back(sentence);
}

void UsedCurves::rests_on(const MoveBasis& basis) {
  std::vector<MoveBasis>& all = moves_.bases;
  const auto alike = std::find_if(all.begin(), all.end(), [&](const MoveBasis& each) {
    return each.axis == basis.axis && each.between_hosts == basis.between_hosts &&
           each.evidence == basis.evidence;
  });
  if (alike == all.end())
    all.push_back(basis);
  else
    alike->time += basis.time;
}

void UsedCurves::add(const CurveUse& use) {
  std::vector<CurveUse>& all = moves_.used;
  if (std::find(all.begin(), all.end(), use) == all.end()) all.push_back(use);
}

}  // namespace quintet
