#include "sim/advice/advice.h"

#include <gtest/gtest.h>

#include "sim/advice/advice_json.h"
#include "sim/advice/advice_page.h"
#include "sim/advice/advice_text.h"
#include "sim/advice/predicted_evaluation.h"
#include "tests/sim/advice/hand_world.h"
#include "tests/support/shipped.h"
#include "tests/support/xml_elements.h"

namespace quintet::test {
namespace {

// GPT-2 on two hosts of 8 A100 each, predicted.
AdviceInput predicted_input() {
  Plan plan;
  plan.name = "tp4-dp4";
  plan.parallelism.tensor = 4;
  plan.parallelism.data = 4;
  plan.parallelism.sequence_length = 1024;
  plan.parallelism.micro_batches = 4;
  plan.parallelism.sharding = Sharding::optimizer;
  plan.ccl.bucket = Bytes{25e6};
  Plan usual = plan;
  usual.parallelism.tensor = 2;
  usual.parallelism.data = 8;
  usual.parallelism.micro_batches = 2;
  usual.ccl.bucket = {};
  Plan runner_up = usual;
  runner_up.name = "tp2-dp8";
  return {"gpt2",
          "two hosts",
          {{plan, Seconds{1}, Bytes{1}, Bytes{2}, Joules{1}, {}},
           {runner_up, Seconds{2}, Bytes{1}, Bytes{2}, Joules{1}, {}}},
          usual,
          "the usual",
          {shipped_topology("selene-a100", 2), shipped_costs("a100-sxm-80gb")}};
}

Evaluator predictor() {
  return predicting({shipped_model("gpt2"), {}, {}, "", {}});
}

TEST(Advice, IsTheSameForAnyNumberOfThreads) {
  const AdviceInput input = predicted_input();
  std::string first;
  for (const int threads : {1, 2, 4}) {
    const Result<Advice> advice = advise(input, predictor(), {threads});
    ASSERT_TRUE(advice) << advice.error().text();
    const std::string json =
        advice_json(*advice).dump() + advice_text(*advice) + page_html(advice_page(*advice));
    if (first.empty()) first = json;
    EXPECT_EQ(json, first) << threads << " threads";
  }
}

TEST(Advice, AgreesWithItselfOnThePredictedStep) {
  const AdviceInput input = predicted_input();
  const Result<Advice> advice = advise(input, predictor(), {2});
  ASSERT_TRUE(advice) << advice.error().text();
  EXPECT_EQ(advice->worth.chosen.step, advice->chosen.step);
  EXPECT_EQ(advice->robustness.scenarios.front().steps.front().step, advice->chosen.step);
  // The usual plan is the runner-up too.
  EXPECT_EQ(advice->worth.usual.step, advice->robustness.scenarios.front().steps.back().step);
  Seconds sum;
  for (const Limit& each : advice->limits) sum += each.time;
  EXPECT_NEAR(sum.value, advice->chosen.step.value, 1e-9 * sum.value);
  // A part that is better never makes this plan slower.
  for (const MachineWorth& each : advice->machine_worths) {
    EXPECT_LE(*each.twice.step, advice->chosen.step * (1 + 1e-9)) << each.part;
  }
}

TEST(Advice, PicturesAreXml) {
  const Result<Advice> advice = advise(predicted_input(), predictor(), {2});
  ASSERT_TRUE(advice);
  const std::vector<Picture> pictures = advice_pictures(*advice);
  std::vector<std::string> names;
  for (const Picture& each : pictures) {
    names.push_back(each.name);
    EXPECT_FALSE(xml_elements(svg_file(each)).empty()) << each.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"layers", "decisions", "machine", "robustness",
                                             "memory-left", "energy"}));
}

TEST(Advice, FailsWhereThePlanDoesNotFitTheMachine) {
  AdviceInput input = predicted_input();
  input.top.front().plan.parallelism.data = 8;
  const Result<Advice> advice = advise(input, predictor(), {});
  ASSERT_FALSE(advice);
  EXPECT_NE(advice.error().text().find("32"), std::string::npos) << advice.error().text();
}

TEST(Advice, JudgesPlansByWhatIsKnownOfAll) {
  const auto plan = [](double step, double memory, std::optional<double> money) {
    TopPlan top;
    top.step = Seconds{step};
    top.memory = Bytes{memory};
    top.capacity = Bytes{10};
    if (money) top.money = Dollars{*money};
    return top;
  };
  // The second has more memory left; the third is beaten by the first, if it were not cheaper.
  std::vector<TopPlan> top{plan(1, 5, 3), plan(2, 4, 3), plan(3, 6, 2)};
  const auto front = [](const std::vector<JudgedPlan>& all) {
    std::vector<bool> on;
    for (const JudgedPlan& each : all) on.push_back(each.on_front);
    return on;
  };
  EXPECT_EQ(front(judged_plans(top)), (std::vector{true, true, true}));
  top[0].money.reset();  // then money judges nobody
  EXPECT_EQ(front(judged_plans(top)), (std::vector{true, true, false}));
  EXPECT_EQ(judged_plans(top)[0].headroom, 0.5);
}

}  // namespace
}  // namespace quintet::test
