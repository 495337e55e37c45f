#include "sim/answer/answer.h"

#include <gtest/gtest.h>

#include "sim/answer/assumptions.h"
#include "sim/answer/plan_rows.h"
#include "tests/support/shipped.h"

namespace quintet::test {
namespace {

using namespace literals;

Answer answer(const std::string& name, Seconds step, MemoryFit fit) {
  Answer made;
  made.name = name;
  made.summary.step = step;
  made.fit = fit;
  return made;
}

const std::vector<Answer> four{
    answer("slow", 3_s, MemoryFit::fits), answer("too big", 1_s, MemoryFit::does_not_fit),
    answer("close", 2_s, MemoryFit::too_close), answer("fast", 2.5_s, MemoryFit::fits)};

TEST(Order, PutsThoseThatDoNotFitLastHoweverFast) {
  EXPECT_EQ(order_of(four, true), (std::vector<std::size_t>{3, 0, 2, 1}));
  EXPECT_EQ(order_of(four, false), (std::vector<std::size_t>{0, 3, 2, 1}));
}

TEST(Places, AreOfThoseThatMayFit) {
  EXPECT_EQ(places(four), (std::vector<std::optional<int>>{2, std::nullopt, 3, 1}));
}

TEST(Rows, MarkWhatDoesNotFitAndHaveItLast) {
  const RankBreakdown mean;
  std::vector<PlanRow> rows;
  for (const Answer& each : four) rows.push_back({each.name, each, mean});
  const std::string text = plan_rows_text(rows);
  EXPECT_LT(text.find("fast"), text.find("slow"));
  EXPECT_LT(text.find("close"), text.find("too big"));
  EXPECT_NE(text.find("DOES NOT FIT\n", text.find("too big")), std::string::npos) << text;
  EXPECT_NE(text.find("\n-  too big"), std::string::npos) << text;
}

TEST(Csv, HasALinePerPlanAndQuotesWhatNeedsIt) {
  const RankBreakdown mean;
  const Answer odd = answer("a, \"b\"", 3_s, MemoryFit::fits);
  const std::string text = plan_rows_csv(std::vector<PlanRow>{{odd.name, odd, mean}});
  EXPECT_TRUE(text.starts_with("plan,tensor,")) << text;
  EXPECT_NE(text.find("\n\"a, \"\"b\"\"\",1,"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST(Layout, NamesTheAxesThatHaveRanks) {
  EXPECT_EQ(layout_text({.tensor = 8, .data = 32, .pipeline = 4}), "TP 8 x PP 4 x DP 32");
  EXPECT_EQ(layout_text({}), "1 rank");
}

TEST(Method, NamesWhatIsNotAsUsual) {
  Parallelism parallelism;
  EXPECT_EQ(method_text(parallelism), "flash attention, bf16");
  parallelism.compute_type = DataType::fp8;
  parallelism.float8.scaling = Float8Scaling::block;
  parallelism.moment_type = DataType::bf16;
  parallelism.offload = {.optimizer = 0.25, .activations = true};
  EXPECT_EQ(method_text(parallelism),
            "flash attention, fp8 by block scaling, bf16 moments, 25 % of optimizer state on the "
            "host, layers' inputs on the host");
}

struct World {
  Model model = shipped_model("llama-3-8b");
  Topology topology = shipped_topology("dgx-h100-1024", 2);
  CostTable costs = shipped_costs("h100-sxm-80gb");
  Plan plan;
  World() {
    model.layers = 2;
    plan.parallelism = {.tensor = 8, .data = 2, .sequence_length = 4096, .micro_batches = 2};
  }
  Answer answered() const {
    return answer_of(plan, "plan.json", required(predict(model, plan, topology, costs)),
                     {topology, costs, "", {}, {}});
  }
};

// Two hosts of eight GPUs each, all one replica group: no stages, so nothing between them is held.
TEST(Answer, SaysWhereHeldSendsMeanNothing) {
  World world;
  const std::size_t usual = world.answered().remarks.size();
  world.topology.held_sends.push_back({HostId{0}, HostId{1}, Seconds{10}, {}});
  const Answer answered = world.answered();
  ASSERT_EQ(answered.remarks.size(), usual + 1);
  EXPECT_NE(answered.remarks.back().find("--hold from host0 to host1 changes nothing"),
            std::string::npos)
      << answered.remarks.back();
}

// Every real rate is many times a peak that is a hundredth of the real one.
TEST(Answer, LeavesOutAnMfuThatCannotBe) {
  World world;
  EXPECT_GT(world.answered().summary.mfu, 0.05);
  for (PeakRate& peak : world.topology.gpu_specs.front().peaks) peak.rate = peak.rate / 100;
  const Answer answered = world.answered();
  EXPECT_EQ(answered.summary.mfu, 0);
  EXPECT_EQ(answered.summary.hfu, 0);
  ASSERT_EQ(answered.remarks.size(), 1);
  EXPECT_NE(answered.remarks.front().find("MFU is left out"), std::string::npos);
}

TEST(Answer, HasNoIntervalWhereNothingIsKnownOfErrors) {
  EXPECT_FALSE(World().answered().interval);
}

TEST(Assumptions, AreOrderedByHowMuchTheyMoveTheStep) {
  const World world;
  const std::vector<Variant> variants = variants_of(world.plan, world.costs, true);
  const auto step_of = [](const Variant& variant) -> Result<Seconds> {
    if (variant.assumption.starts_with("routing ecmp")) return 12_s;
    if (variant.assumption.starts_with("products")) return 10.5_s;
    if (variant.assumption.starts_with("attention")) return 10.001_s;  // less than 0.1 %
    if (variant.assumption.starts_with("launches")) return Error{"", "cannot be"};
    return 10_s;
  };
  const auto effects = assumption_effects(10_s, variants, step_of);
  ASSERT_EQ(effects.size(), 2);
  EXPECT_EQ(effects[0].assumption, "routing ecmp in place of rail-pinned");
  EXPECT_NEAR(effects[0].change, 0.2, 1e-12);
  EXPECT_EQ(effects[1].assumption, "products 10 % slower");
}

// Nothing of the plan but its routing differs; slower products alone make a real step longer.
TEST(Assumptions, ChangeOneThingEach) {
  const World world;
  const Seconds step =
      required(predict(world.model, world.plan, world.topology, world.costs)).summary.step;
  for (const Variant& variant : variants_of(world.plan, world.costs, true)) {
    EXPECT_NE(variant.plan == world.plan, variant.costs == world.costs) << variant.assumption;
    if (!variant.assumption.starts_with("products")) continue;
    const Seconds slower =
        required(predict(world.model, variant.plan, world.topology, variant.costs)).summary.step;
    EXPECT_GT(slower / step, 1.02);
    EXPECT_LT(slower / step, 1.12);
  }
}

}  // namespace
}  // namespace quintet::test
