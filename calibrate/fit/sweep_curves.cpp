#include "calibrate/fit/sweep_curves.h"

#include <fmt/format.h>

#include <utility>

#include "calibrate/fit/swept_words.h"
#include "sim/cost/collective_curve.h"

namespace quintet::calibrate {
namespace {

// Below, the launch decides, which the table has elsewhere.
constexpr Bytes least_of_curve{8192};
constexpr std::size_t fewest_sizes = 8, fewest_of_curve = 4;

std::string title_of(const CollectiveSample& which) {
  std::string title = fmt::format("{}, {} ranks, {}{}", name_of(which.kind), which.ranks,
                                  which.hosts, which.hosts == 1 ? " host" : " hosts");
  for (const std::string* const more : {&which.system, &which.algorithm, &which.protocol})
    if (!more->empty()) title += ", " + *more;
  return title;
}

std::optional<CollectiveKind> kind_of(Swept kind) {
  switch (kind) {
    case Swept::all_reduce:
      return CollectiveKind::all_reduce;
    case Swept::reduce_scatter:
      return CollectiveKind::reduce_scatter;
    case Swept::all_gather:
      return CollectiveKind::all_gather;
    case Swept::broadcast:
      return CollectiveKind::broadcast;
    case Swept::reduce:
      return CollectiveKind::reduce;
    case Swept::all_to_all:
      return CollectiveKind::all_to_all;
    case Swept::send_receive:
      break;
  }
  return std::nullopt;
}

// What the curve is of, points aside.
std::optional<CollectiveCurve> named(const CollectiveSample& which) {
  const std::optional<CollectiveKind> kind = kind_of(which.kind);
  if (!kind || which.hosts != 1) return std::nullopt;
  CollectiveCurve curve;
  curve.kind = *kind;
  curve.ranks = which.ranks;
  if (which.algorithm.empty() && which.protocol.empty()) return curve;
  curve.algorithm = algorithm_named(which.algorithm);
  curve.protocol = protocol_named(which.protocol);
  if (!curve.algorithm || !curve.protocol) return std::nullopt;
  return curve;
}

std::optional<FittedCurve> fitted_curve(const Sweep& sweep) {
  std::optional<CollectiveCurve> curve = named(sweep.which);
  if (!curve) return std::nullopt;
  std::vector<CurvePoint> large;
  for (const CurvePoint& point : sweep.points)
    if (point.size >= least_of_curve) large.push_back(point);
  if (large.size() < fewest_of_curve) return std::nullopt;
  const SweepFit fit = fit_sweep(large);
  curve->points = fit.points;
  curve->residuals = fit.quality.residuals;
  return FittedCurve{std::move(*curve), fit.quality, sweep.which};
}

bool is_there(const std::vector<FittedCurve>& curves, const CollectiveCurve& curve) {
  CommunicationCosts costs;
  for (const FittedCurve& each : curves) costs.curves.push_back(each.curve);
  return curve_for({curve.kind, curve.ranks, 1, curve.algorithm, curve.protocol, {}}, costs) !=
         nullptr;
}

}  // namespace

SweepCurves sweep_curves(const std::vector<CollectiveSample>& samples) {
  SweepCurves made;
  for (const Sweep& sweep : sweeps(samples, 1)) {
    if (sweep.points.size() < fewest_sizes) {
      made.short_sweeps.push_back(fmt::format("{} ({}{}", title_of(sweep.which),
                                              sweep.points.size(),
                                              sweep.points.size() == 1 ? " size)" : " sizes)"));
      continue;
    }
    const SweepFit whole = fit_sweep(sweep.points);
    made.lines.push_back({title_of(sweep.which) + ": " + ends_text(whole), whole.quality});
    std::optional<FittedCurve> curve = fitted_curve(sweep);
    if (curve && !is_there(made.curves, curve->curve)) made.curves.push_back(std::move(*curve));
  }
  return made;
}

}  // namespace quintet::calibrate
