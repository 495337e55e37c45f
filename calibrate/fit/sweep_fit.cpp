#include "calibrate/fit/sweep_fit.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "calibrate/fit/least_squares.h"
#include "sim/base/quantile.h"
#include "sim/base/text_table.h"

namespace quintet::calibrate {
namespace {

constexpr std::array<double, 2> spacings{1, 2};  // octaves between knots
constexpr std::array<double, 4> penalties{0.003, 0.03, 0.3, 3.0};
constexpr double alike = 0.02;  // deviations below this are all alike
constexpr std::size_t fewest_to_choose = 8;

// In logarithms: base 2 of bytes, natural of seconds.
struct Point {
  double size = 0, time = 0;
};
using Points = std::vector<Point>;

struct Knots {
  double first = 0, spacing = 1;
  std::vector<double> times;

  double time_at(double size) const {
    const double place =
        std::clamp((size - first) / spacing, 0.0, static_cast<double>(times.size() - 1));
    const auto low = std::min(static_cast<std::size_t>(place), times.size() - 2);
    const double share = place - static_cast<double>(low);
    return times[low] + share * (times[low + 1] - times[low]);
  }
};

struct Choice {
  double octaves = 1, penalty = 0.03;
};

Knots knots_over(const Points& points, double octaves) {
  const double low = points.front().size, high = points.back().size;
  const auto count =
      std::max<std::size_t>(2, static_cast<std::size_t>(std::lround((high - low) / octaves)) + 1);
  return {low, (high - low) / static_cast<double>(count - 1), std::vector<double>(count)};
}

// Weighted normal equations of hat functions, with a penalty on second differences; a whisper of it
// keeps knots that no size is near on their neighbours' line.
class NormalEquations {
 public:
  NormalEquations(std::size_t count, double penalty)
      : count_(count), matrix_(count * count), right_(count) {
    for (std::size_t i = 0; i < count; ++i) at(i, i) += 1e-9;
    constexpr std::array<double, 3> bend{1, -2, 1};
    for (std::size_t i = 0; i + 2 < count; ++i)
      for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t column = 0; column < 3; ++column)
          at(i + row, i + column) += (penalty + 1e-4) * bend[row] * bend[column];
  }
  void add(const Knots& knots, const Point& point, double weight) {
    const double place = std::clamp((point.size - knots.first) / knots.spacing, 0.0,
                                    static_cast<double>(count_ - 1));
    const auto low = std::min(static_cast<std::size_t>(place), count_ - 2);
    const double high_share = place - static_cast<double>(low);
    const std::array<double, 2> shares{1 - high_share, high_share};
    for (std::size_t i = 0; i < 2; ++i) {
      right_[low + i] += weight * shares[i] * point.time;
      for (std::size_t j = 0; j < 2; ++j) at(low + i, low + j) += weight * shares[i] * shares[j];
    }
  }
  std::vector<double> solution() && { return solve(std::move(matrix_), std::move(right_)); }

 private:
  double& at(std::size_t row, std::size_t column) { return matrix_[row * count_ + column]; }
  std::size_t count_;
  std::vector<double> matrix_, right_;
};

// Least absolute deviations by squares weighted anew (Huber's below `alike`).
Knots fitted(Knots knots, const Points& points, double penalty) {
  std::vector<double> weights(points.size(), 1.0);
  for (int round = 0; round < 30; ++round) {
    NormalEquations equations(knots.times.size(), penalty);
    for (std::size_t i = 0; i < points.size(); ++i) equations.add(knots, points[i], weights[i]);
    knots.times = std::move(equations).solution();
    for (std::size_t i = 0; i < points.size(); ++i)
      weights[i] =
          alike / std::max(alike, std::abs(points[i].time - knots.time_at(points[i].size)));
  }
  return knots;
}

std::vector<double> held_out_times(const Points& points, const Points& range,
                                   const Choice& choice) {
  return held_out(points.size(), [&](const std::vector<std::size_t>& kept) -> Predictor {
    Points some;
    for (const std::size_t i : kept) some.push_back(points[i]);
    const Knots knots = fitted(knots_over(range, choice.octaves), some, choice.penalty);
    return [knots, &points](std::size_t i) { return std::exp(knots.time_at(points[i].size)); };
  });
}

double score_of(const Points& points, const Choice& choice) {
  const std::vector<double> predicted = held_out_times(points, points, choice);
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    sum += std::min(0.5, std::abs(predicted[i] / std::exp(points[i].time) - 1));
  return sum;
}

Choice best_choice(const Points& points) {
  if (points.size() < fewest_to_choose) return {spacings[0], penalties[0]};
  std::optional<double> least;
  Choice best;
  for (const double octaves : spacings)
    for (const double penalty : penalties) {
      const double score = score_of(points, {octaves, penalty});
      if (least && score >= *least - 1e-9) continue;
      least = score;
      best = {octaves, penalty};
    }
  return best;
}

// The nearest in squares that rise: neighbours that fall are pooled.
std::vector<double> rising(const std::vector<double>& values) {
  std::vector<std::pair<double, std::size_t>> pools;
  for (const double value : values) {
    pools.emplace_back(value, 1);
    while (pools.size() > 1 && pools[pools.size() - 2].first >= pools.back().first) {
      const auto [last, last_count] = pools.back();
      pools.pop_back();
      auto& [before, count] = pools.back();
      before = (before * static_cast<double>(count) + last * static_cast<double>(last_count)) /
               static_cast<double>(count + last_count);
      count += last_count;
    }
  }
  std::vector<double> flat;
  for (const auto& [value, count] : pools)
    for (std::size_t i = 0; i < count; ++i)
      flat.push_back(value + 1e-4 * static_cast<double>(flat.size()));
  return flat;
}

Knots curve_through(const Points& points, const Points& range) {
  const Choice choice = best_choice(points);
  Knots knots = fitted(knots_over(range, choice.octaves), points, choice.penalty);
  knots.times = rising(knots.times);
  return knots;
}

// What tells one sweep from another.
auto key_of(const CollectiveSample& sample) {
  return std::tuple(sample.source, sample.system, sample.network, sample.gpu, sample.hosts,
                    sample.ranks, sample.kind, sample.algorithm, sample.protocol);
}

Seconds median(std::vector<double> times) {
  return {quantile(std::move(times), 0.5)};
}

}  // namespace

std::vector<Sweep> sweeps(const std::vector<CollectiveSample>& samples, std::size_t least) {
  using Key = decltype(key_of(samples.front()));
  std::map<Key, std::size_t> places;
  std::vector<std::pair<CollectiveSample, std::map<double, std::vector<double>>>> found;
  for (const CollectiveSample& sample : samples) {
    const auto [place, is_new] = places.emplace(key_of(sample), found.size());
    if (is_new) found.push_back({sample, {}});
    found[place->second].second[sample.size.value].push_back(sample.time.value);
  }
  std::vector<Sweep> all;
  for (auto& [which, by_size] : found) {
    if (by_size.size() < least) continue;
    Sweep sweep{which, {}};
    sweep.which.size = {};
    sweep.which.time = {};
    for (const auto& [size, times] : by_size) sweep.points.push_back({{size}, median(times)});
    all.push_back(std::move(sweep));
  }
  return all;
}

SweepFit fit_sweep(const std::vector<CurvePoint>& points) {
  assert(points.size() >= 2);
  Points logarithms;
  for (const CurvePoint& point : points)
    logarithms.push_back({std::log2(point.size.value), std::log(point.time.value)});
  const Knots knots = curve_through(logarithms, logarithms);
  const std::vector<double> held =
      held_out(points.size(), [&](const std::vector<std::size_t>& kept) -> Predictor {
        Points some;
        for (const std::size_t i : kept) some.push_back(logarithms[i]);
        const Knots without = some.size() < 2 ? knots : curve_through(some, logarithms);
        return [without, &logarithms](std::size_t i) {
          return std::exp(without.time_at(logarithms[i].size));
        };
      });
  std::vector<double> real, inside;
  for (std::size_t i = 0; i < points.size(); ++i) {
    real.push_back(points[i].time.value);
    inside.push_back(std::exp(knots.time_at(logarithms[i].size)));
  }
  SweepFit fit{{}, quality(real, inside, held), {}, points.front().size, points.back().size};
  for (std::size_t i = 0; i < real.size(); ++i)
    fit.held_out_errors.push_back(std::abs(held[i] / real[i] - 1));
  for (std::size_t i = 0; i < knots.times.size(); ++i)
    fit.points.push_back({{std::exp2(knots.first + knots.spacing * static_cast<double>(i))},
                          {std::exp(knots.times[i])}});
  fit.points.back().size = fit.to;  // rounding must not leave the largest size outside
  fit.points.front().size = fit.from;
  return fit;
}

std::string ends_text(const SweepFit& fit) {
  const double rate = fit.points.back().size.value / fit.points.back().time.value;
  return "latency " + fixed(fit.points.front().time.value * 1e6, 1) + " us, " +
         fixed(rate * 1e-9, 1) + " GB/s";
}

}  // namespace quintet::calibrate
