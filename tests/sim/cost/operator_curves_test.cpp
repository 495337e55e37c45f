// Operators priced by curves of their family.
#include "sim/cost/operator_curves.h"

#include <gtest/gtest.h>

#include "sim/cost/kernel_time.h"
#include "sim/cost/operator_family.h"
#include "sim/cost/operator_source.h"

namespace quintet {
namespace {

using namespace literals;

PricedOperator product(std::int64_t m, std::int64_t n, std::int64_t k,
                       Phase phase = Phase::forward) {
  return {OperatorKind::mlp_up, phase, DataType::fp32, GemmShape{m, n, k}};
}

// 1 us and 10 GFLOP/s.
Seconds truth(const PricedOperator& work) {
  return Seconds{1e-6 + natural_work(work) / 1e10};
}

CostTable table() {
  std::vector<MeasuredOperator> points;
  for (const int m : {32, 128, 512})
    for (const int n : {64, 256, 1024})
      for (const int k : {64, 256, 1024}) {
        const PricedOperator work = product(m, n, k);
        points.push_back({work, truth(work), 5});
      }
  CostTable made;
  made.curves.push_back(*fitted_curve(std::move(points)));
  return made;
}

TEST(OperatorCurves, PriceShapesBetweenThoseMeasured) {
  const CostTable costs = table();
  const PricedOperator work = product(200, 512, 384);
  EXPECT_NEAR(kernel_time(work, costs) / truth(work), 1, 0.02);
}

TEST(OperatorCurves, AnExactMeasurementComesFirst) {
  CostTable costs = table();
  costs.operators.push_back({product(200, 512, 384), 5_s, 1});
  EXPECT_EQ(kernel_time(product(200, 512, 384), costs), 5_s);
}

// In the order of the table: exact, of the family, anything else.
TEST(OperatorSources, TheFirstThatPricesTheOperatorIsAsked) {
  CostTable costs = table();
  costs.operators.push_back({product(200, 512, 384), 5_s, 1});
  PricedOperator other = product(200, 512, 384, Phase::backward);
  EXPECT_EQ(source_of(product(200, 512, 384), costs).name, "measured operators");
  EXPECT_EQ(source_of(product(200, 512, 385), costs).name, "operator curves");
  EXPECT_EQ(source_of(other, costs).name, "formulas");
  EXPECT_FALSE(is_priced(other, costs));  // there is no GEMM among the formulas
  other.shape = ProfiledShape{};
  EXPECT_EQ(source_of(other, costs).name, "profiled stages");
}

TEST(OperatorCurves, AForwardRepeatedTakesTheForwardsCurve) {
  const CostTable costs = table();
  EXPECT_EQ(kernel_time(product(128, 256, 256, Phase::recompute), costs),
            kernel_time(product(128, 256, 256), costs));
  EXPECT_EQ(curve_for(product(128, 256, 256, Phase::weight_gradient), costs), nullptr);
}

TEST(OperatorCurves, SizesOutsideTheMeasuredAreNamed) {
  const CostTable costs = table();
  EXPECT_TRUE(outside_measured(product(512, 64, 1024), costs).empty());
  EXPECT_EQ(
      outside_measured(product(200, 4096, 384), costs),
      std::vector<std::string>{"mlp_up forward in fp32: n is 4096, measured from 64 to 1024"});
  EXPECT_EQ(octaves_beyond_measured(product(512, 64, 1024), costs), 0);
  EXPECT_EQ(octaves_beyond_measured(product(200, 4096, 384), costs), 2);
  EXPECT_EQ(octaves_beyond_measured(product(200, 4096, 8), costs), 3);  // 8 of 64
}

// 24 B read, 16 written by Adam per parameter; plain SGD with momentum reads 12 and writes 8: the
// same share of 600 per mille, but only the kind tells them from a cast. Read and written of a
// clip are equal.
TEST(OperatorCurves, FamiliesDifferInAllThatIsNoSize) {
  const auto memory = [](double read, double written, std::int64_t rows) {
    return PricedOperator{OperatorKind::residual, Phase::forward, DataType::fp32,
                          MemoryShape{Bytes{read}, Bytes{written}, rows, rows > 0 ? 8 : 0}};
  };
  EXPECT_EQ(family_of(memory(24, 16, 0)), family_of(memory(2400, 1600, 0)));
  EXPECT_NE(family_of(memory(24, 16, 0)), family_of(memory(16, 16, 0)));
  EXPECT_NE(family_of(memory(24, 16, 0)), family_of(memory(24, 16, 4)));
  EXPECT_NE(family_of(product(1, 1, 1)), family_of(product(1, 1, 1, Phase::update)));
}

TEST(OperatorCurves, NoWorkTakesNoTime) {
  const PricedOperator nothing = product(0, 64, 64);
  EXPECT_EQ(sampled_time(nothing, table().curves.front()), Seconds{});
  EXPECT_FALSE(fitted_curve({{nothing, 1_us, 1}}));
}

}  // namespace
}  // namespace quintet
