#include "sim/validate/report/published_residuals.h"

#include <gtest/gtest.h>

#include <cmath>

namespace quintet::test {
namespace {

// Predicted over measured, as a row of some software on some card.
RowVerdict row(const std::string& stack, const std::string& gpu, double ratio) {
  RowVerdict verdict;
  verdict.row.step_time_s = 10;
  verdict.stack = stack;
  verdict.gpu = gpu;
  verdict.prediction.emplace();
  verdict.prediction->step = Seconds{10 * ratio};
  verdict.prediction->capacity = Bytes{100};
  verdict.prediction->fullest.weights = Bytes{50};
  return verdict;
}

// e^-0.10, e^-0.09 ... e^0.10 times measured: 21 rows. Below the first of them one more lies with
// probability 1 / 22, so 0.05 is at place 0.05 * 22 - 1 = 0.1 from the first: -0.099.
TEST(PublishedResiduals, AreQuantilesOfRowsUnseen) {
  std::vector<RowVerdict> rows;
  for (int i = -10; i <= 10; ++i) rows.push_back(row("A", "X", std::exp(0.01 * i)));
  const PublishedResiduals made = published_residuals(rows, "test");
  ASSERT_EQ(made.step_time.size(), 4);  // A on X, A, X, all
  for (const StepResiduals& each : made.step_time) {
    EXPECT_EQ(each.rows, 21);
    EXPECT_NEAR(each.p05, -0.099, 1e-4);
    EXPECT_NEAR(each.p50, 0, 1e-4);
    EXPECT_NEAR(each.p95, 0.099, 1e-4);
  }
  EXPECT_EQ(made.step_time.back().stack + made.step_time.back().gpu, "");
  EXPECT_EQ(made.memory.verdicts, 21);
}

TEST(PublishedResiduals, OfSoftwareOnACardAreOfTheirRowsAlone) {
  const PublishedResiduals made =
      published_residuals({row("A", "X", 2), row("A", "Y", 1), row("B", "X", 1)}, "test");
  const auto of = [&](const std::string& stack, const std::string& gpu) {
    for (const StepResiduals& each : made.step_time)
      if (each.stack == stack && each.gpu == gpu) return each;
    return StepResiduals{};
  };
  EXPECT_EQ(of("A", "X").rows, 1);
  EXPECT_NEAR(of("A", "X").p50, std::log(2.0), 1e-4);
  EXPECT_EQ(of("A", "").rows, 2);
  EXPECT_EQ(of("", "X").rows, 2);
  EXPECT_EQ(of("", "").rows, 3);
}

// Others are within 0.1 of 0, the left out at 0.15: their quantiles must reach half as far again,
// and a bit, for quantiles of unseen rows lie inside of the outermost (0.099 of 0.1: 1.52).
TEST(Widening, IsAsMuchAsWhatWasLeftOutNeeds) {
  LeftOutGroup group;
  for (int i = -10; i <= 10; ++i) group.others.push_back(0.01 * i);
  group.left_out = {0.15, -0.15, 0.15};
  EXPECT_NEAR(needed_widening({group}), 1.55, 1e-9);
  group.left_out = {0.0};
  EXPECT_EQ(needed_widening({group}), 1);
  EXPECT_EQ(needed_widening({}), 1);
}

// From 1 down: right, right, wrong (one in 3), then 10 right (one in 13 is less than one in ten;
// one in ten it is at the 10th). From 1 up: all right.
TEST(MemoryBand, ReachesAsFarAsOneInTenIsWrong) {
  std::vector<MemoryOutcome> outcomes{{0.99, true}, {0.98, true}, {0.97, false}};
  for (int i = 0; i < 10; ++i) outcomes.push_back({0.96 - 0.01 * i, true});
  for (int i = 1; i <= 5; ++i) outcomes.push_back({1 + 0.01 * i, false});
  const MemoryBand band = memory_band(outcomes);
  EXPECT_NEAR(band.from, 0.9, 1.1e-3);  // 0.96 - 0.06, the tenth from 1 down, rounded outwards
  EXPECT_EQ(band.to, 1);
  EXPECT_EQ(band.verdicts, 18);
  EXPECT_EQ(band.wrong, 1);
  EXPECT_EQ(band.within, 10);
  EXPECT_EQ(band.wrong_within, 1);
}

}  // namespace
}  // namespace quintet::test
