#include "sim/cost/operator_curves.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/quantity_text.h"
#include "sim/cost/operator_family.h"
#include "sim/cost/operator_source.h"

namespace quintet {
namespace {

bool tells_something(const MeasuredOperator& point) {
  return natural_work(point.work) > 0 && point.time > Seconds{};
}

// Sizes a rounding apart are the same.
constexpr double tolerance = 1e-6;

std::string number_text(double value) {
  return std::to_string(static_cast<std::int64_t>(value + 0.5));
}

}  // namespace

std::vector<CurveSample> curve_samples(std::span<const MeasuredOperator> points) {
  std::vector<CurveSample> samples;
  for (const MeasuredOperator& each : points)
    samples.push_back({sizes_of(each.work), each.time.value / natural_work(each.work)});
  return samples;
}

OperatorCurve curve_through(std::vector<MeasuredOperator> points, Smoothness smoothness,
                            Residuals residuals) {
  SampledCurve fit(curve_samples(points), smoothness);
  return {std::move(points), std::move(smoothness), std::move(fit), residuals};
}

std::optional<OperatorCurve> fitted_curve(std::vector<MeasuredOperator> points) {
  std::erase_if(points, [](const MeasuredOperator& each) { return !tells_something(each); });
  if (points.empty()) return std::nullopt;
  Smoothness smoothness = likeliest_smoothness(curve_samples(points));
  OperatorCurve curve = curve_through(std::move(points), std::move(smoothness));
  if (curve.points.size() >= 2) curve.residuals = residuals_of(curve.fit.left_out());
  return curve;
}

const OperatorCurve* curve_for(const PricedOperator& work, const CostTable& table) {
  OperatorFamily family = family_of(work);
  const auto find = [&] {
    return std::find_if(table.curves.begin(), table.curves.end(), [&](const OperatorCurve& each) {
      return family_of(each.points.front().work) == family;
    });
  };
  auto found = find();
  if (found == table.curves.end() && family.phase == Phase::recompute) {
    family.phase = Phase::forward;
    found = find();
  }
  if (found == table.curves.end() && family.kind == OperatorKind::presort) {
    family.kind = OperatorKind::embedding;
    found = find();
  }
  return found == table.curves.end() ? nullptr : &*found;
}

Seconds sampled_time(const PricedOperator& work, const OperatorCurve& curve) {
  const double amount = natural_work(work);
  if (amount <= 0) return {};
  return Seconds{amount * curve.fit.value(sizes_of(work))};
}

namespace {

// A size of an operator that lies outside of what its curve has.
struct SizeOutside {
  std::size_t place = 0;  // among the sizes of the family
  double size = 0, least = 0, most = 0;
};

std::vector<SizeOutside> sizes_outside(const PricedOperator& work, const OperatorCurve& curve) {
  std::vector<SizeOutside> outside;
  const std::vector<double> sizes = sizes_of(work);
  for (std::size_t place = 0; place < sizes.size(); ++place) {
    double least = sizes_of(curve.points.front().work)[place], most = least;
    for (const MeasuredOperator& point : curve.points) {
      const double known = sizes_of(point.work)[place];
      least = std::min(least, known);
      most = std::max(most, known);
    }
    if (sizes[place] < least * (1 - tolerance) || sizes[place] > most * (1 + tolerance))
      outside.push_back({place, sizes[place], least, most});
  }
  return outside;
}

std::vector<SizeOutside> sizes_outside(const PricedOperator& work, const CostTable& table) {
  const bool by_curve = &source_of(work, table) == &sources::operator_curve;
  if (!by_curve || natural_work(work) <= 0) return {};
  return sizes_outside(work, *curve_for(work, table));
}

}  // namespace

std::vector<std::string> outside_measured(const PricedOperator& work, const CostTable& table) {
  std::vector<std::string> outside;
  const OperatorFamily family = family_of(work);
  const std::vector<std::string> names = size_names(family);
  for (const SizeOutside& each : sizes_outside(work, table))
    outside.push_back(family_text(family) + ": " + names[each.place] + " is " +
                      number_text(each.size) + ", measured from " + number_text(each.least) +
                      " to " + number_text(each.most));
  return outside;
}

double octaves_beyond_measured(const PricedOperator& work, const CostTable& table) {
  double octaves = 0;
  for (const SizeOutside& each : sizes_outside(work, table))
    octaves = std::max(
        octaves, std::max(std::log2(each.least / each.size), std::log2(each.size / each.most)));
  return octaves;
}

namespace {

bool prices(const PricedOperator& work, const CostTable& table) {
  return curve_for(work, table) != nullptr;
}

KernelUse use(const PricedOperator& work, const CostTable& table) {
  return {sampled_time(work, *curve_for(work, table))};
}

Pricing pricing(const PricedOperator& work, const CostTable& table) {
  const OperatorCurve& curve = *curve_for(work, table);
  return {family_text(family_of(curve.points.front().work)), curve.residuals, Evidence::measured};
}

}  // namespace

const OperatorSource sources::operator_curve{
    .name = "operator curves",
    .prices = prices,
    .use = use,
    .gaps = [](const PricedOperator&) { return 1; },
    .pricing = pricing,
    .outside = outside_measured,
};

}  // namespace quintet
