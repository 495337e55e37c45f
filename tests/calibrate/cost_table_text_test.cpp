// What is written is what sim/cost reads.
#include "calibrate/cost_table_text.h"

#include <gtest/gtest.h>

#include "sim/cost/cost_table_file.h"

namespace quintet::calibrate {
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
                                    {{"all-gather weights", Bandwidth{1e9 / 7}}}};
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
}  // namespace quintet::calibrate
