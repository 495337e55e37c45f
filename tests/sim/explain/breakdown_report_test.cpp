#include "sim/explain/breakdown_report.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace quintet {
namespace {

constexpr std::int64_t ms = 1'000'000'000;

// compute 50 + 100 + 200 + 50 + 300 = 700, exposed 120 + 30, and 100 + 25 + 5 + 10 + 10 = 150: a
// step of 1000 ms.
RankBreakdown example() {
  RankBreakdown breakdown{.rank = Rank{0}, .ranks = 4, .stage = 0, .step = {1000 * ms}};
  breakdown.compute = {700 * ms};
  breakdown.operators = {
      {OperatorKind::norm, Phase::forward, {50 * ms}},
      {OperatorKind::qkv_projection, Phase::forward, {100 * ms}},
      {OperatorKind::attention, Phase::backward, {200 * ms}},
      {OperatorKind::attention, Phase::recompute, {50 * ms}},
      {OperatorKind::mlp_up, Phase::forward, {300 * ms}},
  };
  breakdown.exposed[static_cast<std::size_t>(Axis::tensor)] = {120 * ms};
  breakdown.exposed[static_cast<std::size_t>(Axis::data)] = {30 * ms};
  breakdown.total_communication = breakdown.exposed;
  breakdown.bubble = {100 * ms};
  breakdown.waiting = {25 * ms};
  breakdown.copy = {5 * ms};
  breakdown.host = {10 * ms};
  breakdown.idle = {10 * ms};
  return breakdown;
}

TEST(BreakdownRows, OfLevelZeroSumToTheStepAndOfLevelOneToTheRowAbove) {
  const RankBreakdown breakdown = example();
  ASSERT_EQ(sum(breakdown), breakdown.step);
  const std::vector<BreakdownRow> rows = rows_of(breakdown);
  EXPECT_EQ(rows.back(), (BreakdownRow{"step", 0, {1000 * ms}}));
  Duration outer;
  std::map<std::string, Duration> inner;  // by the row of level 0 above
  std::string above;
  for (const BreakdownRow& row : rows) {
    if (row.name == "step") break;
    if (row.level == 0) above = row.name;
    (row.level == 0 ? outer : inner[above]) += row.time;
  }
  EXPECT_EQ(outer, breakdown.step);
  const std::map<std::string, Duration> expected{{"compute", {700 * ms}},
                                                 {"exposed communication", {150 * ms}}};
  EXPECT_EQ(inner, expected);
}

// Of both columns and of their difference the rows of level 0 sum to the step's: 30 ms less exposed
// on the data axis, 5 ms more bubble.
TEST(RowDifferences, SumToTheStepsDifference) {
  RankBreakdown after = example();
  after.exposed[static_cast<std::size_t>(Axis::data)] = {};
  after.bubble = {105 * ms};
  after.step = {975 * ms};
  ASSERT_EQ(sum(after), after.step);
  const std::vector<RowDifference> rows = row_differences(example(), after);
  EXPECT_EQ(rows.back(), (RowDifference{"step", 0, {1000 * ms}, {975 * ms}}));
  Duration differences;
  std::map<std::string, Duration> changed;
  for (const RowDifference& row : rows) {
    if (row.difference() != Duration{}) changed[row.name] = row.difference();
    if (row.level == 0 && row.name != "step") differences += row.difference();
  }
  EXPECT_EQ(differences, Duration{-25 * ms});
  const std::map<std::string, Duration> expected{{"exposed communication", {-30 * ms}},
                                                 {"data", {-30 * ms}},
                                                 {"pipeline bubble", {5 * ms}},
                                                 {"step", {-25 * ms}}};
  EXPECT_EQ(changed, expected);
}

// Percentages of 1000 ms; rows without time (MLP activation groups, pipeline, ...) are left out.
TEST(BreakdownTable, OfOnePlan) {
  const std::vector<Named<RankBreakdown>> plans{{"tp8 pp4", example()}};
  EXPECT_EQ(breakdown_table(plans), R"(                                 tp8 pp4
compute                 700.0 ms  70.0 %
  attention             300.0 ms  30.0 %
  MLP                   300.0 ms  30.0 %
  norm, residual         50.0 ms   5.0 %
  recompute              50.0 ms   5.0 %
exposed communication   150.0 ms  15.0 %
  tensor                120.0 ms  12.0 %
  data                   30.0 ms   3.0 %
pipeline bubble         100.0 ms  10.0 %
waiting for peers        25.0 ms   2.5 %
copy                      5.0 ms   0.5 %
host                     10.0 ms   1.0 %
idle                     10.0 ms   1.0 %
step                   1000.0 ms 100.0 %
)");
}

// The second plan hides the data axis (-30) and halves the bubble (-50): step 920. Its bubble is
// 50 of 920 = 5.4 %; the differences are shares of the first plan's 1000 ms.
TEST(BreakdownTable, OfTwoPlansShowsTheDifference) {
  RankBreakdown better = example();
  better.exposed[static_cast<std::size_t>(Axis::data)] = {};
  better.bubble = {50 * ms};
  better.step = {920 * ms};
  ASSERT_EQ(sum(better), better.step);
  const std::vector<Named<RankBreakdown>> plans{{"first", example()}, {"second", better}};
  EXPECT_EQ(breakdown_table(plans),
            R"(                                   first            second         difference
compute                 700.0 ms  70.0 %  700.0 ms  76.1 %   +0.0 ms   +0.0 %
  attention             300.0 ms  30.0 %  300.0 ms  32.6 %   +0.0 ms   +0.0 %
  MLP                   300.0 ms  30.0 %  300.0 ms  32.6 %   +0.0 ms   +0.0 %
  norm, residual         50.0 ms   5.0 %   50.0 ms   5.4 %   +0.0 ms   +0.0 %
  recompute              50.0 ms   5.0 %   50.0 ms   5.4 %   +0.0 ms   +0.0 %
exposed communication   150.0 ms  15.0 %  120.0 ms  13.0 %  -30.0 ms   -3.0 %
  tensor                120.0 ms  12.0 %  120.0 ms  13.0 %   +0.0 ms   +0.0 %
  data                   30.0 ms   3.0 %    0.0 ms   0.0 %  -30.0 ms   -3.0 %
pipeline bubble         100.0 ms  10.0 %   50.0 ms   5.4 %  -50.0 ms   -5.0 %
waiting for peers        25.0 ms   2.5 %   25.0 ms   2.7 %   +0.0 ms   +0.0 %
copy                      5.0 ms   0.5 %    5.0 ms   0.5 %   +0.0 ms   +0.0 %
host                     10.0 ms   1.0 %   10.0 ms   1.1 %   +0.0 ms   +0.0 %
idle                     10.0 ms   1.0 %   10.0 ms   1.1 %   +0.0 ms   +0.0 %
step                   1000.0 ms 100.0 %  920.0 ms 100.0 %  -80.0 ms   -8.0 %
)");
}

TEST(BreakdownTable, OfNothingIsEmpty) {
  EXPECT_EQ(breakdown_table({}), "");
  const std::vector<Named<RankBreakdown>> plans{{"empty", {}}};
  EXPECT_EQ(breakdown_table(plans), "               empty\nstep  0.0 ms   0.0 %\n");
}

TEST(BreakdownJson, HoldsIntegersThatSumToTheStep) {
  const std::vector<Named<RankBreakdown>> plans{{"first", example()}, {"bad \xff name", example()}};
  const nlohmann::json json = nlohmann::json::parse(breakdown_json(plans));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["unit"], "ps");
  ASSERT_EQ(json["plans"].size(), 2u);
  const nlohmann::json& plan = json["plans"][0];
  std::int64_t sum_of_parts = 0;
  for (const char* part : {"compute", "bubble", "waiting", "copy", "host", "idle"})
    sum_of_parts += plan[part].get<std::int64_t>();
  for (const auto& [axis, time] : plan["exposed"].items()) sum_of_parts += time.get<std::int64_t>();
  EXPECT_EQ(sum_of_parts, 1000 * ms);
  EXPECT_EQ(plan["step"], 1000 * ms);
  EXPECT_EQ(plan["operators"].size(), 5u);
  EXPECT_EQ(plan["operators"][3]["phase"], std::string(name_of(Phase::recompute)));
}

}  // namespace
}  // namespace quintet
