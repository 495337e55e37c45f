#include "calibrate/fit/sweep_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/cost/collective_curve.h"

namespace quintet::calibrate {
namespace {

// 20 us and 100 GB/s.
Seconds simple_time(double bytes) {
  return {20e-6 + bytes / 100e9};
}

std::vector<CurvePoint> simple_sweep(int sizes) {
  std::vector<CurvePoint> points;
  for (int i = 0; i < sizes; ++i) {
    const double bytes = std::exp2(10 + i);
    points.push_back({{bytes}, simple_time(bytes)});
  }
  return points;
}

TEST(SweepFit, GoesThroughLatencyAndRate) {
  const SweepFit fit = fit_sweep(simple_sweep(20));
  EXPECT_LT(fit.quality.median, 0.01);
  EXPECT_LT(fit.quality.held_median, 0.05);
  EXPECT_EQ(fit.from, Bytes{1024});
  EXPECT_EQ(fit.to, Bytes{std::exp2(29)});
  EXPECT_EQ(fit.points.front().size, fit.from);
  EXPECT_EQ(fit.points.back().size, fit.to);
}

TEST(SweepFit, RisesAndIsNotMovedByAnOutlier) {
  std::vector<CurvePoint> points = simple_sweep(20);
  points[3].time = 10 * points[3].time;
  points[9].time = 0.1 * points[9].time;
  const SweepFit fit = fit_sweep(points);
  for (std::size_t i = 1; i < fit.points.size(); ++i) {
    EXPECT_LT(fit.points[i - 1].size, fit.points[i].size);
    EXPECT_LT(fit.points[i - 1].time, fit.points[i].time);
  }
  CommunicationCosts costs;
  costs.curves.push_back({CollectiveKind::all_reduce, 8, fit.points, "test"});
  for (const double bytes : {4096.0, 65536.0, 1e6, 1e8})
    EXPECT_NEAR(
        *measured_collective(CollectiveKind::all_reduce, 8, {bytes}, costs) / simple_time(bytes), 1,
        0.1)
        << bytes;
}

CollectiveSample sample(const std::string& algorithm, double bytes, double time) {
  return {.size = {bytes}, .time = {time}, .algorithm = algorithm};
}

TEST(Sweeps, KeepAlgorithmsApartAndTakeMedians) {
  std::vector<CollectiveSample> samples;
  for (const double bytes : {8.0, 16.0})
    for (const double time : {1.0, 2.0, 9.0}) samples.push_back(sample("ring", bytes, time));
  samples.push_back(sample("tree", 8, 5));
  const std::vector<Sweep> found = sweeps(samples, 1);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].points, (std::vector<CurvePoint>{{{8}, {2}}, {{16}, {2}}}));
  EXPECT_EQ(found[1].which.algorithm, "tree");
  EXPECT_EQ(sweeps(samples, 2).size(), 1u);
}

}  // namespace
}  // namespace quintet::calibrate
