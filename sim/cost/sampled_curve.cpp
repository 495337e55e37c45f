#include "sim/cost/sampled_curve.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/base/quantile.h"
#include "sim/cost/cholesky.h"

namespace quintet {
namespace {

constexpr double constant_prior = 3;  // standard deviations, in natural logarithms
constexpr double slope_prior = 0.5;
constexpr double exceptional = 4;  // |z| of a sample that the others contradict

constexpr double far = 0.405;  // log 1.5: slopes hold no further beyond the samples

double matern(double distance) {
  const double scaled = std::sqrt(5.0) * distance;
  return (1 + scaled + scaled * scaled / 3) * std::exp(-scaled);
}

// Moves the place to where slopes of the samples hold, all but number `except` of them.
void clamp_near(const std::vector<std::vector<double>>& samples, std::size_t except,
                std::vector<double>& place) {
  for (std::size_t size = 0; size < place.size(); ++size) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (std::size_t sample = 0; sample < samples.size(); ++sample) {
      if (sample == except) continue;
      least = std::min(least, samples[sample][size]);
      most = std::max(most, samples[sample][size]);
    }
    place[size] = std::clamp(place[size], least - far, most + far);
  }
}

}  // namespace

SampledCurve::SampledCurve(std::vector<CurveSample> samples, Smoothness smoothness)
    : smoothness_(std::move(smoothness)), count_(samples.size()) {
  assert(!samples.empty() && smoothness_.lengths.size() == samples.front().sizes.size());
  centre_.assign(smoothness_.lengths.size(), 0.0);
  for (const CurveSample& each : samples) {
    level_ += std::log(each.value) / static_cast<double>(count_);
    for (std::size_t size = 0; size < centre_.size(); ++size)
      centre_[size] += std::log(each.sizes[size]) / static_cast<double>(count_);
  }
  std::vector<double> values;
  for (const CurveSample& each : samples) {
    places_.push_back(place_of(each.sizes));
    values.push_back(std::log(each.value) - level_);
  }
  std::vector<double> matrix(count_ * count_);
  for (std::size_t row = 0; row < count_; ++row) {
    for (std::size_t column = 0; column <= row; ++column)
      matrix[row * count_ + column] = covariance(places_[row], places_[column]);
    matrix[row * count_ + row] += smoothness_.noise * smoothness_.noise;
  }
  factor_ = cholesky(matrix, count_);
  const std::vector<double> whitened = solve_lower(factor_, values);
  weights_ = solve_upper(factor_, whitened);
  for (std::size_t row = 0; row < count_; ++row)
    log_likelihood_ -= 0.5 * whitened[row] * whitened[row] + std::log(factor_[row * count_ + row]);
}

SampledCurve::Place SampledCurve::place_of(std::span<const double> sizes) const {
  assert(sizes.size() == centre_.size());
  Place place;
  for (std::size_t size = 0; size < sizes.size(); ++size)
    place.push_back(std::log(sizes[size]) - centre_[size]);
  return place;
}

double SampledCurve::covariance(std::span<const double> left, std::span<const double> right) const {
  double product = 0, distance = 0;
  for (std::size_t size = 0; size < left.size(); ++size) {
    product += left[size] * right[size];
    const double apart = (left[size] - right[size]) / smoothness_.lengths[size];
    distance += apart * apart;
  }
  return constant_prior * constant_prior + slope_prior * slope_prior * product +
         smoothness_.amplitude * smoothness_.amplitude * matern(std::sqrt(distance));
}

// As near to the samples as slopes hold.
SampledCurve::Place SampledCurve::near_samples(Place place) const {
  clamp_near(places_, count_, place);
  return place;
}

// The sample's own place, as near to all others as their slopes hold.
SampledCurve::Place SampledCurve::near_others(std::size_t sample) const {
  Place place = places_[sample];
  clamp_near(places_, sample, place);
  return place;
}

double SampledCurve::value(std::span<const double> sizes) const {
  const Place near = near_samples(place_of(sizes));
  double mean = level_;
  for (std::size_t sample = 0; sample < count_; ++sample)
    mean += covariance(near, places_[sample]) * weights_[sample];
  return std::exp(mean);
}

CurveEstimate SampledCurve::at(std::span<const double> sizes) const {
  const Place place = place_of(sizes);
  std::vector<double> to_samples;
  for (const Place& each : places_) to_samples.push_back(covariance(place, each));
  double variance = covariance(place, place);
  for (const double known : solve_lower(factor_, to_samples)) variance -= known * known;
  return {value(sizes), std::sqrt(std::max(0.0, variance))};
}

std::vector<double> SampledCurve::inverse_column(std::size_t sample) const {
  std::vector<double> unit(count_, 0.0);
  unit[sample] = 1;
  return solve_upper(factor_, solve_lower(factor_, unit));
}

// Equations 5.10 to 5.12. They carry the others' slopes on to the sample, however far out it lies:
// what the curve through the others says there, whose slopes end, is told from it by the difference
// of the two places under the others' weights.
std::vector<LeftOutSample> SampledCurve::left_out() const {
  assert(count_ >= 2);
  std::vector<LeftOutSample> all;
  for (std::size_t sample = 0; sample < count_; ++sample) {
    const std::vector<double> inverse = inverse_column(sample);
    const double precision = inverse[sample];
    double away = weights_[sample] / precision;
    const Place near = near_others(sample);
    if (near != places_[sample])
      for (std::size_t other = 0; other < count_; ++other)
        away += (weights_[other] - inverse[other] * weights_[sample] / precision) *
                (covariance(places_[sample], places_[other]) - covariance(near, places_[other]));
    all.push_back({std::exp(away) - 1, away * std::sqrt(precision)});
  }
  return all;
}

namespace {

// A coordinate of the smoothness: itself and the values it may take.
struct Knob {
  double* value;
  double least, most;
};

double likelihood(const std::vector<CurveSample>& samples, const Smoothness& smoothness) {
  return SampledCurve(samples, smoothness).log_likelihood();
}

bool varies(const std::vector<CurveSample>& samples, std::size_t size) {
  return std::any_of(samples.begin(), samples.end(), [&](const CurveSample& each) {
    return each.sizes[size] != samples.front().sizes[size];
  });
}

// Coordinate by coordinate, by factors that shrink: the likelihood is smooth and has few valleys.
Smoothness climbed(const std::vector<CurveSample>& samples, Smoothness smoothness) {
  double best = likelihood(samples, smoothness);
  std::vector<Knob> knobs{{&smoothness.amplitude, 0.01, 3}, {&smoothness.noise, 0.003, 0.3}};
  for (std::size_t size = 0; size < smoothness.lengths.size(); ++size)
    if (varies(samples, size)) knobs.push_back({&smoothness.lengths[size], 0.25, 16});
  for (const double factor : {4.0, 2.0, 2.0, 1.4, 1.4, 1.2})
    for (const Knob& knob : knobs)
      for (const double step : {factor, 1 / factor}) {
        const double before = *knob.value;
        *knob.value = std::clamp(before * step, knob.least, knob.most);
        const double reached = likelihood(samples, smoothness);
        if (reached > best) {
          best = reached;
          break;
        }
        *knob.value = before;
      }
  return smoothness;
}

std::vector<CurveSample> without_exceptions(std::span<const CurveSample> samples,
                                            const Smoothness& smoothness) {
  const SampledCurve curve({samples.begin(), samples.end()}, smoothness);
  const std::vector<bool> exceptions = exceptional_samples(curve.left_out());
  std::vector<CurveSample> usual;
  for (std::size_t sample = 0; sample < samples.size(); ++sample)
    if (!exceptions[sample]) usual.push_back(samples[sample]);
  return usual;
}

}  // namespace

Smoothness likeliest_smoothness(std::span<const CurveSample> samples) {
  assert(!samples.empty());
  Smoothness start;
  start.lengths.assign(samples.front().sizes.size(), 2.0);
  constexpr std::size_t few = 4;  // fewer say nothing of it
  if (samples.size() < few) return start;
  const Smoothness first = climbed({samples.begin(), samples.end()}, start);
  const std::vector<CurveSample> usual = without_exceptions(samples, first);
  if (usual.size() == samples.size() || usual.size() < few) return first;
  return climbed(usual, start);
}

// A few far ones make the noise, and with it every |z|, seem what it is not: the one in the middle
// tells the scale. Of a normal distribution that is 0.674.
std::vector<bool> exceptional_samples(std::span<const LeftOutSample> left_out) {
  std::vector<double> all;
  for (const LeftOutSample& each : left_out) all.push_back(std::abs(each.z));
  const double scale = all.empty() ? 1 : std::max(quantile(all, 0.5) / 0.674, 1e-9);
  std::vector<bool> exceptions;
  for (const double z : all) exceptions.push_back(z > exceptional * std::min(1.0, scale));
  return exceptions;
}

Residuals residuals_of(std::span<const LeftOutSample> left_out) {
  if (left_out.empty()) return {};
  std::vector<double> errors;
  for (const LeftOutSample& each : left_out) errors.push_back(each.error);
  return {quantile_of_unseen(errors, 0.05), quantile_of_unseen(errors, 0.95),
          static_cast<int>(errors.size())};
}

double median_error(std::span<const LeftOutSample> left_out) {
  if (left_out.empty()) return 0;
  std::vector<double> errors;
  for (const LeftOutSample& each : left_out) errors.push_back(std::abs(each.error));
  return quantile(errors, 0.5);
}

}  // namespace quintet
