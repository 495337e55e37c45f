#include "calibrate/operators/operator_knowledge.h"

#include <algorithm>
#include <cmath>

#include "sim/base/quantile.h"

namespace quintet::calibrate {
namespace {

enum class Confirmed { no, yes };
constexpr std::size_t enough_times = 3;  // an operator measured so often is as it is
constexpr double harmless = 0.05;        // an error that is not worth measuring again

// Measured often, or twice alike: the curve is what does not fit.
Confirmed confirmed_by(const std::vector<Seconds>& times) {
  if (times.size() >= enough_times) return Confirmed::yes;
  if (times.size() < 2) return Confirmed::no;
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  return *most / *least <= 1 + harmless ? Confirmed::yes : Confirmed::no;
}

// The one that the others contradict most, if they do: it would bend the curve for its neighbours.
std::optional<std::size_t> most_doubtful(const std::vector<MeasuredOperator>& points,
                                         const std::vector<Confirmed>& confirmed,
                                         const Smoothness& smoothness) {
  const std::vector<LeftOutSample> left_out =
      SampledCurve(curve_samples(points), smoothness).left_out();
  const std::vector<bool> exceptions = exceptional_samples(left_out);
  std::optional<std::size_t> worst;
  for (std::size_t point = 0; point < points.size(); ++point)
    if (exceptions[point] && confirmed[point] == Confirmed::no &&
        std::abs(left_out[point].error) > harmless &&
        (!worst || std::abs(left_out[point].z) > std::abs(left_out[*worst].z)))
      worst = point;
  return worst;
}

// Takes out of `points`, one after another, what the rest contradicts: a fifth of them at most.
std::vector<PricedOperator> set_aside(std::vector<MeasuredOperator>& points,
                                      std::vector<Confirmed>& confirmed,
                                      const Smoothness& smoothness) {
  constexpr std::size_t few = 5;  // cannot contradict
  const std::size_t most = points.size() / 5;
  std::vector<PricedOperator> doubted;
  while (points.size() > few && doubted.size() < most) {
    const auto worst = most_doubtful(points, confirmed, smoothness);
    if (!worst) break;
    const auto at = static_cast<std::ptrdiff_t>(*worst);
    doubted.push_back(points[*worst].work);
    points.erase(points.begin() + at);
    confirmed.erase(confirmed.begin() + at);
  }
  return doubted;
}

template <class Families>
auto find(Families& families, const PricedOperator& work) {
  const OperatorFamily family = family_of(work);
  return std::find_if(families.begin(), families.end(),
                      [&](const auto& each) { return each.what == family; });
}

}  // namespace

void OperatorKnowledge::add(std::span<const MeasuredOperator> measured) {
  for (const MeasuredOperator& each : measured) {
    if (natural_work(each.work) <= 0 || !(each.time > Seconds{})) continue;
    auto family = find(families_, each.work);
    if (family == families_.end())
      family = families_.insert(family, {family_of(each.work), {}, {}, {}, {}});
    family->total += each.time * static_cast<double>(each.samples);
    auto known = std::find_if(family->operators.begin(), family->operators.end(),
                              [&](const Times& times) { return times.work == each.work; });
    if (known == family->operators.end())
      known = family->operators.insert(known, {each.work, {}, 0});
    known->times.push_back(each.time);
    known->samples += each.samples;
  }
}

void OperatorKnowledge::fit() {
  for (Family& each : families_) {
    std::vector<MeasuredOperator> points;
    std::vector<Confirmed> confirmed;
    for (const Times& known : each.operators) {
      points.push_back({known.work, median(known.times), known.samples});
      confirmed.push_back(confirmed_by(known.times));
    }
    each.curve = fitted_curve(points);
    each.doubted.clear();
    if (each.curve) each.doubted = set_aside(points, confirmed, each.curve->smoothness);
    if (!each.doubted.empty()) each.curve = fitted_curve(std::move(points));
  }
}

const OperatorKnowledge::Family* OperatorKnowledge::family(const PricedOperator& work) const {
  const auto found = find(families_, work);
  return found == families_.end() || !found->curve ? nullptr : &*found;
}

double OperatorKnowledge::deviation(const PricedOperator& work) const {
  const Family* const known = family(work);
  return known == nullptr ? 1 : std::min(1.0, known->curve->fit.at(sizes_of(work)).deviation);
}

std::optional<Seconds> OperatorKnowledge::time(const PricedOperator& work) const {
  if (natural_work(work) <= 0) return Seconds{};
  const Family* const known = family(work);
  if (known == nullptr) return std::nullopt;
  return sampled_time(work, *known->curve);
}

double OperatorKnowledge::weight(const PricedOperator& work) const {
  Seconds all;
  std::vector<Seconds> totals;
  for (const Family& each : families_) {
    all += each.total;
    totals.push_back(each.total);
  }
  if (!(all > Seconds{})) return 1;
  const auto found = find(families_, work);
  return (found == families_.end() ? median(totals) : found->total) / all;
}

double OperatorKnowledge::held_out_error() const {
  double sum = 0;
  Seconds all;
  for (const Family& each : families_) {
    const bool told = each.curve && each.curve->points.size() >= 2;
    sum += (told ? std::min(1.0, median_error(each.curve->fit.left_out())) : 1) * each.total.value;
    all += each.total;
  }
  return all > Seconds{} ? sum / all.value : 1;
}

std::vector<PricedOperator> OperatorKnowledge::contradicted() const {
  std::vector<PricedOperator> all;
  for (const Family& each : families_)
    all.insert(all.end(), each.doubted.begin(), each.doubted.end());
  return all;
}

std::vector<OperatorCurve> OperatorKnowledge::curves() const {
  std::vector<OperatorCurve> all;
  for (const Family& each : families_)
    if (each.curve) all.push_back(*each.curve);
  return all;
}

}  // namespace quintet::calibrate
