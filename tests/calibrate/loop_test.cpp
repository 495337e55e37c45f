// What the loop plans and what it says of its rows.
#include <gtest/gtest.h>

#include <set>

#include <nlohmann/json.hpp>

#include "calibrate/loop/loop_page.h"
#include "calibrate/loop/loop_plans.h"
#include "calibrate/loop/loop_report.h"
#include "tests/support/shipped.h"

namespace quintet::calibrate {
namespace {

using namespace literals;

LoopRow row(const std::string& plan, Seconds predicted, Seconds measured) {
  LoopRow made;
  made.model = "m";
  made.plan = plan;
  made.predicted = predicted;
  made.measured = measured;
  return made;
}

// Errors -10 %, 0, +20 %: sorted 0, 10, 20; the median is 10, nine tenths of the way to the last
// 10 + 0.8 * 10 = 18. Of three pairs two agree: (2 - 1) / 3.
std::vector<LoopRow> three() {
  return {row("a", 90_ms, 100_ms), row("b", 95_ms, 95_ms), row("c", 144_ms, 120_ms)};
}

TEST(LoopVerdict, CountsErrorsAndPairs) {
  const LoopVerdict verdict = verdict_of(three());
  EXPECT_NEAR(verdict.median_error, 0.10, 1e-12);
  EXPECT_NEAR(verdict.p90_error, 0.18, 1e-12);
  EXPECT_NEAR(*verdict.kendall_tau, 1.0 / 3, 1e-12);
  EXPECT_EQ(verdict.pairs, 3);
  EXPECT_FALSE(verdict.coverage);
}

TEST(LoopVerdict, PlansOfDifferentModelsAreNoPair) {
  std::vector<LoopRow> rows = three();
  rows[2].model = "other";
  EXPECT_EQ(verdict_of(rows).kendall_tau, -1);  // only a and b: predicted the other way round
  rows.pop_back();
  rows.pop_back();
  EXPECT_FALSE(verdict_of(rows).kendall_tau);
}

TEST(LoopVerdict, CoverageIsTheShareInsideTheInterval) {
  std::vector<LoopRow> rows = three();
  for (LoopRow& each : rows)
    each.interval = StepInterval{each.predicted * 0.95, each.predicted * 1.05};
  EXPECT_NEAR(*verdict_of(rows).coverage, 1.0 / 3, 1e-12);  // b
}

// Rings are measured, dots predicted; of each a legend's. Timelines that are not there are left out.
TEST(LoopPage, DrawsPredictedBesideMeasured) {
  std::vector<LoopRow> rows = three();
  rows[0].plan = "<b>";
  rows[0].predicted_trace = rows[0].measured_trace = "none.json";
  const Page page = loop_page(rows, {"a < remark"});
  ASSERT_EQ(page.pictures.size(), 1u);
  const std::string html = page_html(page);
  std::size_t rings = 0;
  for (std::size_t at = html.find("class=\"ring\""); at != std::string::npos;
       at = html.find("class=\"ring\"", at + 1))
    ++rings;
  EXPECT_EQ(rings, 4u);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_NE(html.find("<p>a &lt; remark</p>"), std::string::npos);
}

TEST(LoopReport, SaysHowFarToTrust) {
  const std::string wrong = trust_text(verdict_of(three()));
  EXPECT_NE(wrong.find("measure two plans before you choose"), std::string::npos) << wrong;
  const std::vector<LoopRow> good{row("a", 100_ms, 102_ms), row("b", 150_ms, 149_ms)};
  const std::string right = trust_text(verdict_of(good));
  EXPECT_NE(right.find("in the right order"), std::string::npos) << right;
  // One pair: chance alone orders every second one.
  EXPECT_NE(right.find("measure two plans before you choose"), std::string::npos) << right;
  const std::vector<LoopRow> three_right{row("a", 100_ms, 102_ms), row("b", 150_ms, 149_ms),
                                         row("c", 200_ms, 200_ms)};
  EXPECT_NE(trust_text(verdict_of(three_right)).find("believe it"), std::string::npos);
  const std::string text = report_text(good, {"THE MACHINE WAS BUSY."});
  EXPECT_NE(text.find("m, a     100.0     102.0    -2.0 %"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("THE MACHINE WAS BUSY.\n"));
}

// 3 GiB predicted, 2.5 used: 20 % too much. Recorded steps took 1.5 % longer.
TEST(LoopReport, OfGpusTellsMemoryAndWhatRecordingCost) {
  std::vector<LoopRow> rows = three();
  EXPECT_EQ(report_text(rows, {}).find("GiB"), std::string::npos);
  rows[0].device = DeviceFigures{"CUPTI 13.0.1", 0.015, 101_ms, 100_ms, 2.5_GiB, 3_GiB};
  const std::string text = report_text(rows, {});
  EXPECT_NE(text.find("m, a             3.00      2.50   +20.0 %   +1.50 % by CUPTI 13.0.1"),
            std::string::npos)
      << text;
  const auto json = nlohmann::json::parse(report_json(rows, {}));
  EXPECT_EQ(json["plans"][0]["memory_bytes"], 2.5 * (1 << 30));
  EXPECT_EQ(json["plans"][0]["predicted_memory_bytes"], 3.0 * (1 << 30));
  EXPECT_EQ(json["plans"][0]["recording_cost"], 0.015);
  EXPECT_FALSE(json["plans"][1].contains("memory_bytes"));
}

TEST(LoopReport, JsonHoldsTheSame) {
  const auto json = nlohmann::json::parse(report_json(three(), {"x"}));
  EXPECT_EQ(json["plans"].size(), 3u);
  EXPECT_EQ(json["plans"][0]["predicted_s"], 0.09);
  EXPECT_NEAR(json["kendall_tau"].get<double>(), 1.0 / 3, 1e-12);
  EXPECT_EQ(json["remarks"], nlohmann::json::array({"x"}));
}

TEST(LoopPlans, DifferInKindAndDoTheSameWork) {
  const std::vector<Plan> plans = loop_plans(test::shipped_model("tiny-gpt"),
                                             test::shipped_topology("box-4-1gbit"), {4, 16, 64});
  EXPECT_EQ(plans.size(), 8u);
  std::set<std::string> names;
  for (const Plan& each : plans) {
    names.insert(each.name);
    EXPECT_EQ(global_batch(each.parallelism), 16) << each.name;
    EXPECT_EQ(world_size(each.parallelism), 4) << each.name;
  }
  EXPECT_EQ(names.size(), plans.size());
}

// One GPU: they differ in what is left to differ in, and read as many tokens.
TEST(LoopPlans, OfOneGpuDifferInWhatOneRankCanDo) {
  const std::vector<Plan> plans =
      loop_plans(test::shipped_model("tiny-gpt"), test::shipped_topology("h200-1"),
                 {1, 16, 64, Processor::gpu});
  EXPECT_EQ(plans.size(), 8u);
  std::set<std::string> names;
  std::set<DataType> types;
  std::set<Recompute> recomputing;
  std::set<AttentionChoice> attention;
  std::set<Launch> launches;
  for (const Plan& each : plans) {
    const Parallelism& parallelism = each.parallelism;
    names.insert(each.name);
    types.insert(parallelism.compute_type);
    recomputing.insert(parallelism.recompute);
    attention.insert(parallelism.attention);
    launches.insert(each.host_net.launch);
    EXPECT_EQ(world_size(parallelism), 1) << each.name;
    EXPECT_EQ(global_batch(parallelism) * parallelism.sequence_length, 16 * 64) << each.name;
  }
  EXPECT_EQ(names.size(), 8u);
  EXPECT_EQ(types.size(), 2u);
  EXPECT_EQ(recomputing.size(), 3u);
  EXPECT_EQ(attention.size(), 2u);
  EXPECT_EQ(launches.size(), 2u);
}

// Eight GPUs: the kinds of ranks, in the GPU's type. tiny-gpt has 4 layers and 4 heads, which eight
// stages or tensor ranks cannot share: two of nine kinds are left out.
TEST(LoopPlans, OfSeveralGpusAreThoseOfRanksInTheirType) {
  const std::vector<Plan> plans =
      loop_plans(test::shipped_model("tiny-gpt"), test::shipped_topology("dgx-h100-1"),
                 {8, 16, 64, Processor::gpu});
  EXPECT_EQ(plans.size(), 7u);
  for (const Plan& each : plans) {
    EXPECT_EQ(each.parallelism.compute_type, DataType::bf16) << each.name;
    EXPECT_EQ(each.host_net.launch, Launch::graphs) << each.name;
  }
}

// Five ranks: nothing halves, layers and heads of tiny-gpt (4 and 4) are not divided, 16 sequences
// are not either.
TEST(LoopPlans, AreNoneWhereNothingFits) {
  EXPECT_TRUE(loop_plans(test::shipped_model("tiny-gpt"), test::shipped_topology("box-8-1gbit"),
                         {5, 16, 64})
                  .empty());
}

}  // namespace
}  // namespace quintet::calibrate
