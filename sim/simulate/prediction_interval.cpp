#include "sim/simulate/prediction_interval.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "sim/cost/operator_curves.h"
#include "sim/cost/priced_by.h"
#include "sim/explain/difference/charges.h"
#include "sim/program/tasks.h"

namespace quintet {
namespace {

// The share of the variance of what one fit prices that all of it has in common.
constexpr double common_share = 0.5;

using Work = std::pair<OperatorKind, Phase>;

// The mean of real over fitted time, whose 5 % and 95 % quantiles are known.
double mean_factor(const Residuals& residuals) {
  constexpr double deviations = 2 * 1.6449;  // between these quantiles
  const double low = std::log1p(std::max(-0.99, residuals.p05));
  const double high = std::log1p(std::max(-0.99, residuals.p95));
  const double deviation = (high - low) / deviations;
  return std::exp((low + high) / 2 + deviation * deviation / 2);
}

// What prices each kind of operator in each phase: of several shapes the first; how far outside of
// what was measured the furthest of them is.
struct Priced {
  Pricing by;
  double octaves = 0;
};

std::map<Work, Priced> pricings(const Program& program, const CostTable& costs) {
  std::map<Work, Priced> all;
  for (const Instruction* const instruction : all_instructions(program))
    if (const auto* const compute = std::get_if<Compute>(&instruction->action)) {
      const PricedOperator work = as_priced(compute->work);
      const auto [priced, fresh] = all.try_emplace(Work{work.kind, work.phase});
      if (fresh) priced->second.by = priced_by(work, costs);
      priced->second.octaves =
          std::max(priced->second.octaves, octaves_beyond_measured(work, costs));
    }
  return all;
}

std::vector<std::string> outside(const Program& program, const CostTable& costs) {
  std::set<std::string> each_once;
  for (const Instruction* const instruction : all_instructions(program))
    if (const auto* const compute = std::get_if<Compute>(&instruction->action))
      for (const std::string& remark : outside_covered(as_priced(compute->work), costs))
        each_once.insert(remark);
  return {each_once.begin(), each_once.end()};
}

bool in_one_host(const Timeline& timeline) {
  for (const Track& track : timeline.tracks)
    if (track.host.empty() || track.host != timeline.tracks.front().host || track.ranks > 1)
      return false;
  return true;
}

// Inside a host the widest of the library's own curves; else those of the formula.
Residuals of_communication(const Timeline& timeline, const CommunicationCosts& costs) {
  if (!in_one_host(timeline)) return costs.residuals;
  Residuals widest = costs.residuals;
  for (const CollectiveCurve& curve : costs.curves)
    if (!curve.algorithm && curve.residuals.p95 - curve.residuals.p05 > widest.p95 - widest.p05)
      widest = curve.residuals;
  return widest;
}

// The residuals of an axis, weighted by what its communications take alone.
struct OfAxis {
  Residuals inside, here;
};

void add_weighted(Residuals& sum, const Residuals& residuals, double weight) {
  sum.p05 += weight * residuals.p05;
  sum.p95 += weight * residuals.p95;
  sum.samples += residuals.samples;
}

std::map<Axis, OfAxis> of_axes(const MeasuredMoves& measured) {
  std::map<Axis, double> weights;
  for (const CurveUse& use : measured.used)
    if (use.residuals.samples > 0) weights[use.axis] += use.time.value;
  std::map<Axis, OfAxis> all;
  for (const CurveUse& use : measured.used) {
    OfAxis& of = all[use.axis];
    if (use.residuals.samples == 0) continue;
    const double weight = use.time.value / weights[use.axis];
    add_weighted(of.inside, use.inside, weight);
    add_weighted(of.here, use.residuals, weight);
  }
  return all;
}

// Mean over ranks of what the step is charged to.
std::vector<UncertainPart> parts_of(const Program& program, const Timeline& timeline,
                                    const CostTable& costs, const MeasuredMoves& measured,
                                    const RepeatedPart& repeated) {
  const std::map<Work, Priced> known = pricings(program, costs);
  const Residuals moving = of_communication(timeline, costs.communication);
  const std::map<Axis, OfAxis> by_axis = of_axes(measured);
  const bool any = moving.samples > 0 || !by_axis.empty() ||
                   std::any_of(known.begin(), known.end(), [](const auto& each) {
                     return each.second.by.residuals.samples > 0;
                   });
  if (!any) return {};  // charges of a long step take their time
  std::map<Work, double> computing;
  std::map<Axis, double> moves;
  double ranks = 0;
  const std::vector<Charges> all = charges(timeline, repeated);
  for (std::size_t track = 0; track < all.size(); ++track) {
    const double weight = timeline.tracks[track].ranks;
    ranks += weight;
    for (const auto& [charge, time] : all[track]) {
      if (charge.deed == Deed::compute)
        computing[{charge.work, charge.phase}] += weight * seconds(time).value;
      if (charge.deed == Deed::moves) moves[charge.axis] += weight * seconds(time).value;
    }
  }
  std::vector<UncertainPart> parts;
  for (const auto& [work, time] : computing)
    if (const auto found = known.find(work); found != known.end()) {
      const auto& [by, octaves] = found->second;
      parts.push_back({by.by, time / ranks, widened(by.residuals, octaves), by.residuals});
    }
  for (const auto& [axis, time] : moves) {
    const auto own = by_axis.find(axis);
    const OfAxis of = own == by_axis.end() ? OfAxis{moving, moving} : own->second;
    parts.push_back({"communication", time / ranks, of.here, of.inside});
  }
  return parts;
}

}  // namespace

Residuals widened(const Residuals& residuals, double octaves) {
  if (residuals.samples == 0 || octaves <= 0) return residuals;
  constexpr double least_half = 0.02, by_octave = 1.5;
  const double low = std::log1p(std::max(-0.99, residuals.p05));
  const double high = std::log1p(std::max(-0.99, residuals.p95));
  const double half = std::max(least_half, (high - low) / 2) * (1 + by_octave * octaves);
  const double middle = (low + high) / 2;
  return {std::expm1(middle - half), std::expm1(middle + half), residuals.samples};
}

Spread spread_of(double step, const std::vector<UncertainPart>& parts) {
  struct Sum {
    double whole = 0, squares = 0;
  };
  std::map<std::string, Sum> fits;
  double middle = step;
  for (const UncertainPart& part : parts) {
    middle += (mean_factor(part.residuals) - 1) * part.time;
    const double half = (part.residuals.p95 - part.residuals.p05) / 2 * part.time;
    fits[part.fit].whole += half;
    fits[part.fit].squares += half * half;
  }
  double variance = 0;
  for (const auto& [fit, sum] : fits)
    variance += common_share * sum.whole * sum.whole + (1 - common_share) * sum.squares;
  return {middle - std::sqrt(variance), middle + std::sqrt(variance)};
}

PredictedInterval predicted_interval(const Program& program, const Timeline& timeline,
                                     const CostTable& costs, const MeasuredMoves& measured,
                                     const RepeatedPart& repeated) {
  const double step = seconds(timeline.end + repeated.left_out()).value;
  const std::vector<UncertainPart> parts = parts_of(program, timeline, costs, measured, repeated);
  double known = 0;
  for (const UncertainPart& part : parts)
    if (part.residuals.samples > 0) known += part.time;
  Spread spread = spread_of(step, parts);
  if (const Residuals& whole = costs.whole_steps.residuals; whole.samples > 0) {
    std::vector<UncertainPart> as_inside = parts;
    for (UncertainPart& part : as_inside) part.residuals = part.inside;
    const Spread inside = spread_of(step, as_inside);
    spread = {(1 + whole.p05) * step + std::min(0.0, spread.low - inside.low),
              (1 + whole.p95) * step + std::max(0.0, spread.high - inside.high)};
    known = step;
  }
  std::vector<std::string> beyond = outside(program, costs);
  beyond.insert(beyond.end(), measured.outside.begin(), measured.outside.end());
  return {duration(Seconds{std::max(0.0, spread.low)}), duration(Seconds{spread.high}),
          step > 0 ? known / step : 0, std::move(beyond)};
}

}  // namespace quintet
