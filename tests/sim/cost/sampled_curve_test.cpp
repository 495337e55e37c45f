// Curves through samples of known functions.
#include "sim/cost/sampled_curve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sim/cost/cholesky.h"

namespace quintet {
namespace {

// 2 x 2: [[4, 2], [2, 5]] = L L' with L = [[2, 0], [1, 2]].
TEST(Cholesky, FactorsAndSolves) {
  const std::vector<double> lower = cholesky(std::vector<double>{4, 0, 2, 5}, 2);
  EXPECT_EQ(lower, (std::vector<double>{2, 0, 1, 2}));
  // L y = (2, 5): y = (1, 2); L' x = (1, 2): x = (0, 1).
  EXPECT_EQ(solve_lower(lower, std::vector<double>{2, 5}), (std::vector<double>{1, 2}));
  EXPECT_EQ(solve_upper(lower, std::vector<double>{1, 2}), (std::vector<double>{0, 1}));
}

// A start of 5 us and 1 ns a unit, per unit: smooth, with a bend where both are equal.
double per_unit(double size) {
  return 5e-6 / size + 1e-9;
}

std::vector<CurveSample> sampled(const std::vector<double>& sizes, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> log_error(0, noise);
  std::vector<CurveSample> samples;
  for (const double size : sizes)
    samples.push_back({{size}, per_unit(size) * std::exp(log_error(random))});
  return samples;
}

std::vector<double> geometric(double from, double factor, int count) {
  std::vector<double> sizes;
  for (int number = 0; number < count; ++number, from *= factor) sizes.push_back(from);
  return sizes;
}

SampledCurve curve_through(const std::vector<CurveSample>& samples) {
  return {samples, likeliest_smoothness(samples)};
}

TEST(SampledCurve, FollowsABendBetweenItsSamples) {
  const SampledCurve curve = curve_through(sampled(geometric(100, 2, 14), 0.001, 1));
  for (double size = 130; size < 8e5; size *= 1.7)
    EXPECT_NEAR(curve.at(std::vector{size}).value / per_unit(size), 1, 0.02) << size;
}

TEST(SampledCurve, KnowsWhereItKnowsLittle) {
  const SampledCurve curve = curve_through(sampled({100, 200, 400, 800, 51200, 102400}, 0.001, 1));
  const double among = curve.at(std::vector{300.0}).deviation;
  EXPECT_GT(curve.at(std::vector{6400.0}).deviation, 3 * among);
  EXPECT_GT(curve.at(std::vector{1e8}).deviation, 3 * among);
}

// Closed forms are what a second curve without the sample says.
TEST(SampledCurve, ASampleLeftOutIsWhatTheOthersSay) {
  const std::vector<CurveSample> samples = sampled(geometric(100, 2, 8), 0.02, 3);
  // Centres shift with the sample; an exact prior would not: compared within a thousandth.
  const Smoothness smoothness{0.5, 0.02, {2.0}};
  const std::vector<LeftOutSample> left_out = SampledCurve(samples, smoothness).left_out();
  for (std::size_t sample = 0; sample < samples.size(); ++sample) {
    std::vector<CurveSample> others = samples;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(sample));
    const double said = SampledCurve(others, smoothness).at(samples[sample].sizes).value;
    EXPECT_NEAR(left_out[sample].error, samples[sample].value / said - 1, 1e-3) << sample;
  }
}

// Noise of 5 %: the left-out errors' median is about 0.67 of that, and so is the true error of
// samples never seen.
TEST(SampledCurve, ItsLeftOutErrorIsTheTrueOne) {
  const std::vector<CurveSample> samples = sampled(geometric(100, 1.2, 60), 0.05, 5);
  const SampledCurve curve = curve_through(samples);
  const std::vector<CurveSample> unseen = sampled(geometric(110, 1.2, 59), 0.05, 6);
  std::vector<LeftOutSample> true_errors;
  for (const CurveSample& each : unseen)
    true_errors.push_back({each.value / curve.at(each.sizes).value - 1, 0});
  const double told = median_error(curve.left_out());
  EXPECT_NEAR(told, median_error(true_errors), 0.02);
  EXPECT_NEAR(told, 0.034, 0.015);
  // 90 % of unseen ones lie between the told quantiles, give or take 12 points (59 of them: a
  // standard deviation is 4, and as much again of the 60 that told the quantiles).
  const Residuals residuals = residuals_of(curve.left_out());
  int inside = 0;
  for (const LeftOutSample& each : true_errors)
    inside += each.error >= residuals.p05 && each.error <= residuals.p95 ? 1 : 0;
  EXPECT_NEAR(inside / 59.0, 0.9, 0.12);
}

TEST(SampledCurve, AnExceptionIsFoundAndDoesNotMakeTheOthersNoisy) {
  std::vector<CurveSample> samples = sampled(geometric(100, 1.5, 20), 0.01, 7);
  samples[9].value *= 3;
  const Smoothness smoothness = likeliest_smoothness(samples);
  EXPECT_LT(smoothness.noise, 0.03);
  const std::vector<bool> exceptions =
      exceptional_samples(SampledCurve(samples, smoothness).left_out());
  EXPECT_TRUE(exceptions[9]);
}

// Slopes and cross terms of two sizes: time per flop of (m, n) with a panel of 8 rows.
TEST(SampledCurve, SeveralSizesAreSmoothEachInItsOwnWay) {
  const auto truth = [](double m, double n) { return 1e-9 * (1 + 8 / m) * (1 + 300 / n); };
  std::vector<CurveSample> samples;
  for (const double m : geometric(8, 2, 6))
    for (const double n : geometric(64, 2, 6)) samples.push_back({{m, n}, truth(m, n)});
  const SampledCurve curve = curve_through(samples);
  for (const double m : {12.0, 50.0, 180.0})
    for (const double n : {90.0, 700.0})
      EXPECT_NEAR(curve.at(std::vector{m, n}).value / truth(m, n), 1, 0.02) << m << " " << n;
}

}  // namespace
}  // namespace quintet
