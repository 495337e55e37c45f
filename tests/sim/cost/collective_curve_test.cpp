#include "sim/cost/collective_curve.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace quintet
