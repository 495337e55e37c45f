#include "sim/cost/collective_curve.h"

#include <gtest/gtest.h>

#include <cmath>

namespace quintet {
namespace {

using namespace literals;

CommunicationCosts costs() {
  CommunicationCosts measured;
  measured.curves = {
      {CollectiveKind::all_reduce, 8, {{1_MB, 50_us}, {4_MB, 100_us}, {16_MB, 400_us}}, "s"}};
  return measured;
}

// 2 MB is half way from 1 to 4 in logarithms: sqrt(50 us x 100 us); 8 MB likewise: 200 us.
TEST(CollectiveCurve, IsAPowerOfTheSizeBetweenPoints) {
  const auto at = [](Bytes size) {
    return measured_collective(CollectiveKind::all_reduce, 8, size, costs())->value;
  };
  EXPECT_NEAR(at(2_MB), 70.710678e-6, 1e-12);
  EXPECT_NEAR(at(8_MB), 200e-6, 1e-12);
  EXPECT_NEAR(at(1_MB), 50e-6, 1e-15);
  EXPECT_NEAR(at(4_MB), 100e-6, 1e-15);
  EXPECT_NEAR(at(16_MB), 400e-6, 1e-15);
}

TEST(CollectiveCurve, CoversItsOwnCollectiveRanksAndSizesOnly) {
  EXPECT_FALSE(measured_collective(CollectiveKind::all_gather, 8, 2_MB, costs()));
  EXPECT_FALSE(measured_collective(CollectiveKind::all_reduce, 4, 2_MB, costs()));
  EXPECT_FALSE(measured_collective(CollectiveKind::all_reduce, 8, Bytes{999'999}, costs()));
  EXPECT_FALSE(measured_collective(CollectiveKind::all_reduce, 8, Bytes{16'000'001}, costs()));
  EXPECT_FALSE(measured_collective(CollectiveKind::all_reduce, 8, 2_MB, CommunicationCosts{}));
}

// From 8 ranks to 4: (3/4) / (7/8) = 6/7 of 100 us; a reduce-scatter or all-gather is half of that.
TEST(CollectiveCurve, GivesOtherRanksAndTheHalvesOfAnAllReduce) {
  const auto at = [](CollectiveKind kind, int ranks) {
    return derived_collective(kind, ranks, 4_MB, costs())->value;
  };
  EXPECT_NEAR(at(CollectiveKind::all_reduce, 4), 100e-6 * 6 / 7, 1e-15);
  EXPECT_NEAR(at(CollectiveKind::all_gather, 4), 50e-6 * 6 / 7, 1e-15);
  EXPECT_NEAR(at(CollectiveKind::reduce_scatter, 8), 50e-6, 1e-15);
  EXPECT_FALSE(derived_collective(CollectiveKind::all_to_all, 8, 4_MB, costs()));
  EXPECT_FALSE(derived_collective(CollectiveKind::all_gather, 8, 17_MB, costs()));
}

// The nearest number of ranks: 6 is nearer to 8 than to 2, whose curve is ten times slower.
TEST(CollectiveCurve, TakesTheNearestNumberOfRanks) {
  CommunicationCosts two = costs();
  two.curves.push_back({CollectiveKind::all_reduce, 2, {{1_MB, 500_us}, {4_MB, 1000_us}}, "s"});
  const auto at = [&](int ranks) {
    return derived_collective(CollectiveKind::all_reduce, ranks, 4_MB, two)->value;
  };
  EXPECT_NEAR(at(6), 100e-6 * (5.0 / 6) / (7.0 / 8), 1e-15);
  EXPECT_NEAR(at(3), 1000e-6 * (2.0 / 3) / (1.0 / 2), 1e-15);
}

CommunicationCosts among_hosts() {
  CommunicationCosts measured = costs();
  CollectiveCurve ring{CollectiveKind::all_reduce, 4, {{1_KB, 1_ms}, {4_KB, 2_ms}}, "s"};
  ring.hosts = 4;
  ring.algorithm = Algorithm::ring;
  ring.network = CurveNetwork{125_MBps, 9_us};
  measured.curves.push_back(ring);
  measured.messages = {{{{1_KB, 10_us}, {1_MB, 1_ms}}, "s", {}, ring.network},
                       {{{1_KB, 5_us}, {1_MB, 100_us}}, "s", {}, {}}};
  return measured;
}

CurveQuery rings_of_four() {
  return {CollectiveKind::all_reduce, 4, 4, Algorithm::ring, {}, CurveNetwork{125_MBps, 9_us}};
}

// Is for just this algorithm, among as many ranks on as many hosts, over a network like it.
TEST(CollectiveCurve, SpeaksForItsOwnAlgorithmHostsAndNetworkOnly) {
  const CommunicationCosts costs = among_hosts();
  ASSERT_NE(curve_for(rings_of_four(), costs), nullptr);
  CurveQuery query = rings_of_four();
  query.network = CurveNetwork{125.5_MBps, 9.9_us};  // as far as two readings of one network differ
  EXPECT_NE(curve_for(query, costs), nullptr);
  query.network = CurveNetwork{62.5_MBps, 9_us};
  EXPECT_EQ(curve_for(query, costs), nullptr);
  query.network = CurveNetwork{125_MBps, 90_us};
  EXPECT_EQ(curve_for(query, costs), nullptr);
  query = rings_of_four();
  query.algorithm = Algorithm::tree;
  EXPECT_EQ(curve_for(query, costs), nullptr);
  query = rings_of_four();
  query.hosts = 2;
  EXPECT_EQ(curve_for(query, costs), nullptr);
  // Nor is it the library's own choice in a host, which has curves of its own.
  EXPECT_FALSE(measured_collective(CollectiveKind::all_reduce, 4, 2_KB, costs));
  EXPECT_EQ(derived_collective(CollectiveKind::all_reduce, 4, 2_KB, costs), std::nullopt);
  EXPECT_EQ(message_curve_for({}, costs)->points.front().time, 5_us);
  EXPECT_EQ(message_curve_for(CurveNetwork{125_MBps, 9_us}, costs)->points.front().time, 10_us);
  EXPECT_EQ(message_curve_for(CurveNetwork{125_MBps, 1_ms}, costs), nullptr);
}

TEST(CollectiveCurve, GoesOnBeyondItsEnds) {
  const std::vector<CurvePoint> points{{1_KB, 1_ms}, {4_KB, 2_ms}};
  EXPECT_EQ(time_along(points, 10_B), 1_ms);
  EXPECT_NEAR(time_along(points, 2_KB).value, std::sqrt(2.0) * 1e-3, 1e-12);
  EXPECT_EQ(time_along(points, 4_KB), 2_ms);
  EXPECT_NEAR(time_along(points, 40_KB).value, 20e-3, 1e-12);
  EXPECT_TRUE(covers(points, 4_KB));
  EXPECT_FALSE(covers(points, 4001_B));
}

TEST(CurveResiduals, AreThoseOfSizesAlike) {
  const Residuals all{-0.2, 0.3, 20}, small{-0.4, 0.6, 8}, large{-0.1, 0.1, 12};
  EXPECT_EQ(residuals_at(all, {small, large}, Bytes{1 << 16}), small);
  EXPECT_EQ(residuals_at(all, {small, large}, Bytes{(1 << 16) + 4}), large);
  EXPECT_EQ(residuals_at(all, {}, Bytes{4}), all);  // an old table
}

// The curve's slopes are 1/2 and 1. Two octaves above 16 MB nothing but the proportion is possible;
// two below 1 MB the time may be half of the first.
TEST(CurveResiduals, ReachAsFarOutsideAsTheCurveMayBend) {
  const std::vector<CurvePoint> points = costs().curves[0].points;
  const Residuals inside{-0.2, 0.3, 20};
  EXPECT_EQ(residuals_along(points, inside, 4_MB), inside);
  const Residuals above = residuals_along(points, inside, 64_MB);
  EXPECT_NEAR(above.p05, -0.2, 1e-12);
  EXPECT_NEAR(above.p95, 0.3, 1e-12);
  const Residuals below = residuals_along(points, inside, 250_KB);
  EXPECT_NEAR(below.p05, 0.8 * 0.5 - 1, 1e-12);
  EXPECT_NEAR(below.p95, 0.3, 1e-12);
  // From a slope of 1/2 on, two octaves above: half. However sure inside, 10 % either way.
  const Residuals flat =
      residuals_along(std::vector(points.begin(), points.begin() + 2), {-0.01, 0.01, 9}, 16_MB);
  EXPECT_NEAR(flat.p05, 0.9 * 0.5 - 1, 1e-12);
  EXPECT_NEAR(flat.p95, 0.1, 1e-12);
  EXPECT_EQ(residuals_along(points, {}, 64_MB), Residuals{});  // not known stays not known
}

}  // namespace
}  // namespace quintet
