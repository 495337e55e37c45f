#include "sim/validate/sheet.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/validate/report/sheet_report.h"
#include "sim/validate/validation.h"
#include "tests/sim/validate/rows.h"

namespace quintet {
namespace {

struct Told {
  double predicted = 1;
  std::optional<double> measured;  // none: out of memory
  bool fits = true;
};

RowVerdict verdict(const std::string& id, const Told& told) {
  RowVerdict made;
  made.row = parse_rows(header() + gpt_row(), "rows/invented.csv")->front();
  made.row.id = id;
  made.row.step_time_s = told.measured;
  made.row.status = told.measured ? RowStatus::ok : RowStatus::out_of_memory;
  made.stack = "Megatron-LM";
  made.prediction.emplace();
  made.prediction->step = Seconds{told.predicted};
  made.prediction->fits = told.fits;
  return made;
}

std::vector<Sheet> sheets(const std::vector<RowVerdict>& verdicts) {
  std::vector<const RowVerdict*> all;
  for (const RowVerdict& each : verdicts) all.push_back(&each);
  return sheets_of(all);
}

// "a" is predicted fastest and was, at 10 s, but is predicted not to fit. Of the others "b" is
// predicted faster, and took 12 s: 12 / 10 - 1.
TEST(Sheet, PicksTheFastestOfThosePredictedToFitAndComparesWithTheBestOfAll) {
  const std::vector<RowVerdict> rows{verdict("a", {1, 10.0, false}), verdict("b", {2, 12.0}),
                                     verdict("c", {3, 11.0})};
  const std::vector<Sheet> made = sheets(rows);
  ASSERT_EQ(made.size(), 1u);
  const Sheet& sheet = made.front();
  EXPECT_EQ(sheet.source, "invented");
  EXPECT_EQ(sheet.gpus, 16);
  EXPECT_EQ(sheet.sequence, 1024);
  EXPECT_EQ(sheet.candidates, 3);
  EXPECT_EQ(sheet.admitted, 2);
  EXPECT_EQ(sheet.picked, &rows[1]);
  EXPECT_EQ(sheet.best, &rows[0]);
  EXPECT_DOUBLE_EQ(sheet.regret().value(), 12.0 / 10 - 1);
}

TEST(Sheet, OfEquallyFastPredictionsTheFirstIsPicked) {
  const std::vector<RowVerdict> rows{verdict("a", {2, 12.0}), verdict("b", {2, 10.0})};
  EXPECT_EQ(sheets(rows).front().picked, &rows[0]);
}

TEST(Sheet, APickThatRanOutOfMemoryIsAFailureAndSoIsNone) {
  const std::vector<RowVerdict> wrong{verdict("a", {1, std::nullopt}), verdict("b", {2, 12.0})};
  EXPECT_EQ(sheets(wrong).front().regret(), std::nullopt);
  const std::vector<RowVerdict> none{verdict("a", {1, 10.0, false}),
                                     verdict("b", {2, 12.0, false})};
  EXPECT_EQ(sheets(none).front().picked, nullptr);
  EXPECT_EQ(sheets(none).front().regret(), std::nullopt);
}

// 1.5 s for 64 sequences are less each than 1 s for 32, measured and predicted.
TEST(Sheet, ComparesTimesPerSequence) {
  std::vector<RowVerdict> rows{verdict("a", {1, 1.0}), verdict("b", {1.5, 1.5})};
  rows[1].row.gbs = 64;
  const std::vector<Sheet> made = sheets(rows);
  EXPECT_EQ(made.front().picked, &rows[1]);
  EXPECT_EQ(made.front().best, &rows[1]);
}

// Of other lengths, numbers, models, GPUs or stacks; with an error other than memory; alone.
TEST(Sheet, RowsOfOtherWorkAreNoAlternatives) {
  std::vector<RowVerdict> rows;
  for (const char* id : {"a", "b", "c", "d", "e", "f", "g"}) rows.push_back(verdict(id, {1, 1.0}));
  rows[1].row.seq = 2048;
  rows[2].row.precision = "bf16";
  rows[3].row.model = "another";
  rows[4].row.gpus = 8;
  rows[5].stack = "another";
  rows[6].row.status = RowStatus::error;
  EXPECT_TRUE(sheets(rows).empty());
  rows.push_back(verdict("h", {2, 2.0}));
  EXPECT_EQ(sheets(rows).size(), 1u);
}

// Regrets 0 and 0.2 and a failure: mean 0.1 of two.
TEST(Sheet, MeanAndLargestRegretAreOfThePicksThatRan) {
  std::vector<RowVerdict> rows{verdict("a", {1, 10.0}), verdict("b", {2, 12.0}),
                               verdict("c", {2, 10.0}), verdict("d", {1, 12.0}),
                               verdict("e", {2, 10.0}), verdict("f", {1, std::nullopt})};
  for (const std::size_t at : {2, 3}) rows[at].row.gpus = 32;
  for (const std::size_t at : {4, 5}) rows[at].row.gpus = 64;
  const Regrets all = regrets_of(sheets(rows));
  EXPECT_EQ(all.sheets, 3);
  EXPECT_EQ(all.failed, 1);
  EXPECT_DOUBLE_EQ(all.mean, 0.1);
  EXPECT_DOUBLE_EQ(all.largest, 12.0 / 10 - 1);
  EXPECT_EQ(regrets_of({}), Regrets{});
}

TEST(SheetReport, NamesPickAndBestAndPutsFailuresFirst) {
  std::vector<RowVerdict> rows{verdict("a", {1, 10.0}), verdict("b", {2, 12.0}),
                               verdict("c", {1, std::nullopt}), verdict("d", {2, 12.0})};
  for (const std::size_t at : {2, 3}) rows[at].row.gpus = 32;
  const std::vector<TextRow> table = sheet_table(sheets(rows));
  ASSERT_EQ(table.size(), 3u);
  const std::string plan =
      ": tp 2, pp 2, vpp 2, micro-batch 1, batch 32, recompute full, megatron "
      "fused softmax";
  EXPECT_EQ(table[1],
            (TextRow{"gpt-small, 32 A100-SXM-80GB, 1024 tokens, fp16", "2 of 2", "c" + plan, "1.00",
                     "out of memory", "d" + plan, "2.00", "12.00", "failed"}));
  EXPECT_EQ(table[2], (TextRow{"gpt-small, 16 A100-SXM-80GB, 1024 tokens, fp16", "2 of 2",
                               "a" + plan, "1.00", "10.00", "a" + plan, "1.00", "10.00", "0.0"}));
}

TEST(SheetReport, APlanIsToldWithoutWhatStandsInBracketsOrIsNone) {
  PublishedRow row = verdict("a", {}).row;
  row.recompute = "full (as the configuration says)";
  row.sharding = "none/unknown";
  row.vpp.clear();
  row.seq_parallel = "true";
  EXPECT_EQ(
      plan_text(row),
      "tp 2, pp 2, micro-batch 1, batch 32, sequence parallel, recompute full, megatron fused "
      "softmax");
}

TEST(SheetReport, JsonHasTheSameAndNullForAFailure) {
  const std::vector<RowVerdict> rows{verdict("a", {1, std::nullopt}), verdict("b", {2, 12.0})};
  const auto json = nlohmann::json::parse(sheet_json(sheets(rows)));
  const auto& sheet = json.at("sheets").at(0);
  EXPECT_EQ(sheet.at("picked").at("id"), "a");
  EXPECT_EQ(sheet.at("best").at("id"), "b");
  EXPECT_TRUE(sheet.at("regret").is_null());
  EXPECT_TRUE(sheet.at("picked").at("measured_step_time_s").is_null());
  EXPECT_EQ(sheet.at("best").at("measured_step_time_s"), 12.0);
}

}  // namespace
}  // namespace quintet
