// What is written is what is read.
#include <gtest/gtest.h>

#include "sim/cost/file/cost_table_file.h"
#include "sim/cost/operator_curves.h"

namespace quintet {
namespace {

using namespace literals;

TEST(CostTableText, ReadsBackToAnEqualTable) {
  CostTable table;
  table.name = "a \"processor\"";
  table.gpu = "any";
  table.source = "here, today";
  table.communication = {0.9375, 1, "measured"};
  table.processors = ProcessorCosts{2,
                                    Bandwidth{1e9 / 3},
                                    21_us,
                                    Seconds{1e-4 / 7},
                                    3_ms,
                                    "rings",
                                    {{"all-gather weights", Bandwidth{1e9 / 7}}},
                                    0.9375,
                                    {0.125, Seconds{1e-2 / 3}}};
  table.operators = {
      {{OperatorKind::head, Phase::weight_gradient, DataType::fp32, GemmShape{4, 5, 6, 7}, 2},
       Seconds{1e-3 / 3},
       40},
      {{OperatorKind::attention, Phase::backward, DataType::bf16,
        AttentionShape{1, 4, 2, 16, 17, 8, MaskKind::bidirectional, AttentionKernel::unfused, 3}},
       2_us,
       1},
      {{OperatorKind::embedding, Phase::recompute, DataType::fp16,
        MemoryShape{1234567_B, 2_KiB, 8, 9}},
       Seconds{},
       3}};
  const Result<CostTable> read = parse_cost_table(text_of(table), "written");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(*read == table);
}

CostTable with_a_curve() {
  CostTable table;
  table.name = "n";
  table.gpu = "any";
  table.source = "s";
  table.communication.source = "not measured";
  const auto point = [](std::int64_t rows, double time) {
    const PricedOperator work{OperatorKind::norm, Phase::forward, DataType::fp32,
                              MemoryShape{Bytes{32.0 * static_cast<double>(rows)},
                                          Bytes{32.0 * static_cast<double>(rows)}, rows, 8}};
    return MeasuredOperator{work, Seconds{time}, 4};
  };
  table.not_measured = {"wider models", "\"overlap\""};
  table.curves = {curve_through({point(4, 1e-6), point(8, 1.0 / 3)}, {0.1, 0.02, {1.0 / 3, 2}},
                                {-0.1, 0.2, 2})};
  table.whole_steps = {{-0.125, 1.0 / 3, 31}, "probes"};
  return table;
}

TEST(CostTableText, CurvesReadBackToo) {
  const CostTable table = with_a_curve();
  const Result<CostTable> read = parse_cost_table(text_of(table), "written");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(*read == table);
}

// As a disk that was full leaves it: the place is where the text ends.
TEST(CostTableText, HalfATableIsRefused) {
  const std::string whole = text_of(with_a_curve());
  const Result<CostTable> read = parse_cost_table(whole.substr(0, whole.size() / 2), "half.json");
  ASSERT_FALSE(read);
  EXPECT_TRUE(read.error().where.starts_with("half.json")) << read.error().text();
}

std::string complaint_with(const std::string& what, const std::string& instead) {
  std::string text = text_of(with_a_curve());
  text.replace(text.find(what), what.size(), instead);
  const Result<CostTable> read = parse_cost_table(text, "t.json");
  return read ? "none" : read.error().text();
}

TEST(CostTableText, WrongCurvesAreRefusedWithTheirPlace) {
  EXPECT_EQ(complaint_with("\"noise\":0.02", "\"noise\":0"),
            "t.json: curves[0].noise: expected a number from 0.0001 to 100, found 0");
  EXPECT_EQ(complaint_with(",2.0],\"residuals\"", "],\"residuals\""),
            "t.json: curves[0].lengths: expected 2 numbers, one per size, found 1");
  EXPECT_EQ(complaint_with("\"operator\":\"norm\"", "\"operator\":\"residual\""),
            "t.json: curves[0].points[1].operator: \"norm forward in fp32, 256 B read, 256 B "
            "written\" is of another family than \"residual forward in fp32, 128 B read, 128 B "
            "written\"");
}

TEST(CostTableText, LeavesOutWhatWasNotMeasured) {
  CostTable table;
  table.name = "n";
  table.gpu = "any";
  table.source = "s";
  table.communication.source = "not measured";
  table.operators = {
      {{OperatorKind::head, Phase::forward, DataType::fp32, GemmShape{1, 1, 1}}, 1_us, 1}};
  const Result<CostTable> read = parse_cost_table(text_of(table), "written");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(*read == table);
}

}  // namespace
}  // namespace quintet
