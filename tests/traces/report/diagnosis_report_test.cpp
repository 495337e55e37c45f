#include "traces/report/diagnosis_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/traces/report/small_step.h"

namespace quintet {
namespace {

using test::data_parallel;
using test::SmallStep;

constexpr std::int64_t us = SmallStep::us;

SmallStep slow_third() {
  return data_parallel({100 * us, 100 * us, 300 * us, 100 * us}, 4, 1e6, 50 * us);
}

Diagnosis third() {
  return diagnose(slow_third().timeline(), slow_third().workload());
}

TEST(DiagnosisReport, TextBeginsWithTheMainCause) {
  const std::string text = diagnosis_text(third());
  const std::size_t first = text.find("1. Rank 2 on host2 computes 3.0 times as long");
  EXPECT_NE(first, std::string::npos);
  EXPECT_LT(first, text.find("Where each rank's time goes"));
  EXPECT_NE(text.find("Costs about 0.8"), std::string::npos);
}

TEST(DiagnosisReport, JsonSumsToTheStep) {
  const nlohmann::json json = nlohmann::json::parse(diagnosis_json(third()));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["step"], 1251 * us);
  ASSERT_EQ(json["ranks"].size(), 4U);
  for (const nlohmann::json& rank : json["ranks"]) {
    std::int64_t sum = 0;
    for (const char* part : {"compute", "bubble", "waiting", "copy", "host", "idle"})
      sum += rank[part].get<std::int64_t>();
    for (const nlohmann::json& axis : rank["exposed"]) sum += axis.get<std::int64_t>();
    EXPECT_EQ(sum, json["step"]);
  }
  const nlohmann::json& first = json["findings"].at(0);
  EXPECT_EQ(first["kind"], "slow ranks");
  EXPECT_EQ(first["ranks"], nlohmann::json::array({2}));
  EXPECT_EQ(first["cost"], 800 * us);
  std::int64_t path = 0;
  for (const nlohmann::json& share : json["critical_path"]["shares"])
    path += share["time"].get<std::int64_t>();
  EXPECT_EQ(path, json["step"]);
}

TEST(DiagnosisReport, PageLoadsNothingFromElsewhere) {
  const std::string page = diagnosis_html(third(), slow_third().timeline());
  for (const char* word : {"<script", "http://", "https://", " src=", "@import"}) {
    std::string rest = page;
    // A name of XML's, that is no address.
    for (std::size_t at; (at = rest.find("http://www.w3.org/2000/svg")) != std::string::npos;)
      rest.erase(at, 26);
    EXPECT_EQ(rest.find(word), std::string::npos) << word;
  }
  EXPECT_NE(page.find("computes 3.0 times as long"), std::string::npos);
}

TEST(DiagnosisReport, EscapesWhatOthersNamed) {
  SmallStep step = slow_third();
  step.compute(0, "<b>&amp;gemm", 4000 * us);
  const std::string page =
      diagnosis_html(diagnose(step.timeline(), step.workload()), step.timeline());
  EXPECT_EQ(page.find("<b>&amp;gemm"), std::string::npos);
  EXPECT_NE(page.find("&lt;b&gt;&amp;amp;gemm"), std::string::npos);
}

// Twenty ranks: sixteen are shown, and it says so.
TEST(DiagnosisReport, SaysWhatItLeavesOut) {
  const SmallStep step = data_parallel(std::vector<std::int64_t>(20, 100 * us), 2, 1e6, 50 * us);
  const std::string text = diagnosis_text(diagnose(step.timeline(), step.workload()));
  EXPECT_NE(text.find("4 more are left out"), std::string::npos);
}

}  // namespace
}  // namespace quintet
