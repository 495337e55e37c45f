// The rule of interval.h by hand, how often it covers what it claims, and what a whole prediction
// says.
#include "sim/simulate/prediction_interval.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "sim/simulate/predict.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

// Half widths 0.1 and 0.3 of one fit: half of 0.4^2 and half of 0.1^2 + 0.3^2 make 0.13; 0.2 of
// another adds 0.04. Quantiles 1/1.1 and 1.1 lie evenly in logarithms, with s = ln 1.21 / 3.2898:
// the mean is exp(s^2 / 2).
TEST(Interval, AddsMeansAndSquares) {
  const Residuals even{-0.1, 0.1, 10};
  const Spread one = spread_of(10, {{"gemm", 1, even}, {"gemm", 3, even}});
  EXPECT_NEAR(one.high - one.low, 2 * std::sqrt(0.13), 1e-12);
  const Spread two = spread_of(10, {{"gemm", 1, even}, {"gemm", 3, even}, {"norm", 2, even}});
  EXPECT_NEAR(two.high - two.low, 2 * std::sqrt(0.17), 1e-12);
  const Spread skewed = spread_of(10, {{"gemm", 2, {1 / 1.1 - 1, 0.1, 10}}});
  const double deviation = std::log(1.21) / 3.2898;
  EXPECT_NEAR((skewed.low + skewed.high) / 2, 10 + 2 * (std::exp(deviation * deviation / 2) - 1),
              1e-6);
  const Spread late = spread_of(10, {{"gemm", 2, {0.1, 0.1, 10}}});  // always a tenth longer
  EXPECT_NEAR(late.low, 10.2, 1e-12);
  EXPECT_NEAR(late.high, 10.2, 1e-12);
  EXPECT_EQ(spread_of(10, {}).low, 10);
}

// Half of ln 1.21 in logarithms, times 1 + 1.5 x 2: 1.1^4 either way. Sure ones count as 2 %.
TEST(Interval, ReachesFurtherTheFurtherOutsideAFitIsUsed) {
  const Residuals inside{1 / 1.1 - 1, 0.1, 10};
  EXPECT_EQ(widened(inside, 0), inside);
  EXPECT_NEAR(widened(inside, 2).p95, std::pow(1.1, 4) - 1, 1e-12);
  EXPECT_NEAR(widened(inside, 2).p05, std::pow(1.1, -4) - 1, 1e-12);
  EXPECT_NEAR(widened({0, 0, 10}, 2).p95, std::exp(0.08) - 1, 1e-12);
  EXPECT_EQ(widened({}, 2), Residuals{});  // not known stays not known
}

class Normal {
 public:
  explicit Normal(std::uint32_t seed) : random_(seed) {}
  double uniform() { return (static_cast<double>(random_()) + 0.5) / 4294967296.0; }
  double operator()() {  // Box and Muller
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::mt19937 random_;
};

// Real over fitted time: skewed, right of 1 further than left.
double factor(double width, double deviation) {
  return std::exp(width * deviation);
}

// As calibration has them: quantiles of 60 measurements held out.
Residuals sampled_residuals(double width, Normal& normal) {
  std::vector<double> all;
  for (int i = 0; i < 60; ++i) all.push_back(factor(width, normal()) - 1);
  std::sort(all.begin(), all.end());
  return {all[2], all[57], 60};  // 3/61 and 58/61
}

// 1,000 steps of 12 parts of 3 fits whose deviations are half common to a fit, half a part's own:
// nominal 90 % holds 85 to 95 % of them.
TEST(Interval, CoversWhatItClaims) {
  constexpr int steps = 1000, parts_of_a_fit = 4;
  const double widths[] = {0.04, 0.1, 0.2};
  Normal normal(7);
  int covered = 0;
  for (int step = 0; step < steps; ++step) {
    std::vector<UncertainPart> parts;
    double predicted = 0, real = 0;
    for (int fit = 0; fit < 3; ++fit) {
      const Residuals residuals = sampled_residuals(widths[fit], normal);
      const double common = normal();
      for (int part = 0; part < parts_of_a_fit; ++part) {
        const double time = 0.2 + normal.uniform();
        const double deviation = std::sqrt(0.5) * (common + normal());
        parts.push_back({"fit " + std::to_string(fit), time, residuals});
        predicted += time;
        real += time * factor(widths[fit], deviation);
      }
    }
    const Spread spread = spread_of(predicted, parts);
    covered += spread.low <= real && real <= spread.high;
  }
  EXPECT_GE(covered, 850);
  EXPECT_LE(covered, 950);
}

struct World {
  Model model = test::shipped_model("llama-3-8b");
  Topology topology = test::shipped_topology("dgx-h100-1024", 1);
  CostTable costs = test::shipped_costs("h100-sxm-80gb");
  Plan plan;

  World() {
    model.layers = 2;
    plan.parallelism = {.tensor = 2, .data = 4, .sequence_length = 4096, .micro_batches = 2};
    for (GemmCosts& gemm : costs.gemm) {
      gemm.residuals = {-0.1, 0.1, 100};
      gemm.covered = {{"m", 1, 2048}, {"k", 1, 1e6}};
    }
    for (MemoryCosts& memory : costs.memory) memory.residuals = {};
    for (AttentionCosts& attention : costs.attention) attention.residuals = {};
    costs.communication.residuals = {};
    for (CollectiveCurve& curve : costs.communication.curves) curve.residuals = {};
  }
};

TEST(Interval, OfAPredictionIsAsWideAsItsProductsAreUncertain) {
  const World world;
  const Prediction made =
      test::required(predict(world.model, world.plan, world.topology, world.costs));
  const PredictedInterval& interval = made.interval;
  EXPECT_LT(interval.low, made.mean.step);
  EXPECT_GT(interval.high, made.mean.step);
  // A tenth of the whole step would be all of it products that err together.
  EXPECT_LT(seconds(interval.high - made.mean.step), 0.1 * seconds(made.mean.step));
  EXPECT_GT(interval.known, 0.3);
  EXPECT_LT(interval.known, 1);
  // One micro-batch of one sequence of 4,096 tokens; half of the MLP's 14,336 columns are the rows
  // of its weight gradient.
  EXPECT_EQ(interval.outside,
            (std::vector<std::string>{"GEMM bf16: m is 4096, measured from 1 to 2048",
                                      "GEMM bf16: m is 7168, measured from 1 to 2048"}));
}

// Curves that priced an axis make its time uncertain by their residuals, each by the time that its
// communications take alone: 3 parts of 0.1 and 1 of 0.3 are 0.15. What they did not cover is said
// too.
TEST(Interval, KnowsHowSureTheCurvesOfAnAxisAre) {
  World world;
  for (GemmCosts& gemm : world.costs.gemm) {
    gemm.residuals = {};
    gemm.covered = {};
  }
  const Prediction made =
      test::required(predict(world.model, world.plan, world.topology, world.costs));
  const auto with = [&](const std::vector<CurveUse>& used) {
    return predicted_interval(made.program, made.timeline, world.costs, {used, {"too large"}});
  };
  const auto use = [](double error, double time) {
    const Residuals residuals{-error, error, 20};
    return CurveUse{Axis::tensor, residuals, residuals, Seconds{time}};
  };
  const CurveUse narrow = use(0.1, 3), wide = use(0.3, 1);
  const PredictedInterval both = with({narrow, wide}), one = with({narrow});
  EXPECT_EQ(both.high - both.low, with({use(0.15, 1)}).high - with({use(0.15, 1)}).low);
  EXPECT_NEAR(seconds(both.high - both.low) / seconds(one.high - one.low), 1.5, 1e-6);
  EXPECT_EQ(with({narrow, {Axis::tensor, {}, {}, Seconds{9}}}), one);  // unknown: no opinion
  EXPECT_GT(one.known, 0);
  EXPECT_EQ(one.outside, std::vector<std::string>{"too large"});
}

// However sure or unsure the parts are.
TEST(Interval, IsThatOfWholeStepsWhereTheyWereRun) {
  World world;
  world.costs.whole_steps.residuals = {-0.02, 0.05, 40};
  const Prediction made =
      test::required(predict(world.model, world.plan, world.topology, world.costs));
  EXPECT_NEAR(seconds(made.interval.low) / seconds(made.mean.step), 0.98, 1e-9);
  EXPECT_NEAR(seconds(made.interval.high) / seconds(made.mean.step), 1.05, 1e-9);
  EXPECT_EQ(made.interval.known, 1);
  EXPECT_FALSE(made.interval.outside.empty());
}

// Steps that were run had no sizes so large: what lies outside moves their quantiles outwards, and
// no further than it would the parts' own.
TEST(Interval, OfWholeStepsIsWiderForWhatLiesOutside) {
  World world;
  world.costs.whole_steps.residuals = {-0.02, 0.05, 40};
  const Prediction made =
      test::required(predict(world.model, world.plan, world.topology, world.costs));
  const auto with = [&](const Residuals& here) {
    return predicted_interval(made.program, made.timeline, world.costs,
                              {{{Axis::tensor, {-0.1, 0.1, 20}, here, Seconds{1}}}, {}});
  };
  const PredictedInterval inside = with({-0.1, 0.1, 20}), beyond = with({-0.5, 0.1, 20});
  EXPECT_NEAR(seconds(inside.low) / seconds(made.mean.step), 0.98, 1e-9);
  EXPECT_LT(beyond.low, inside.low);
  EXPECT_GE(beyond.high, inside.high);
}

TEST(Interval, IsTheStepWhereNothingIsKnown) {
  World world;
  for (GemmCosts& gemm : world.costs.gemm) {
    gemm.residuals = {};
    gemm.covered = {};
  }
  const Prediction made =
      test::required(predict(world.model, world.plan, world.topology, world.costs));
  EXPECT_EQ(made.interval.low, made.mean.step);
  EXPECT_EQ(made.interval.high, made.mean.step);
  EXPECT_EQ(made.interval.known, 0);
  EXPECT_TRUE(made.interval.outside.empty());
}

}  // namespace
}  // namespace quintet
