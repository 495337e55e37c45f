#include "sim/confidence/residuals.h"

#include <gtest/gtest.h>

namespace quintet::test {
namespace {

const PublishedResiduals some{"3 rows",
                              {{"NeMo", "H100", 28, -0.2, -0.05, 0.1}, {"", "", 200, -1, 0, 1}},
                              {1.5, 2, 3, 4},
                              {100, 9, 0.93, 1.1, 20, 6}};

TEST(Residuals, ReadBackWhatWasWritten) {
  const auto read = parse_residuals(text_of(some), "r.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, some);
}

TEST(Residuals, OutOfOrderAreRefusedWithTheirPlace) {
  PublishedResiduals wrong = some;
  wrong.step_time[1].p05 = 0.5;  // above the median, 0
  const auto read = parse_residuals(text_of(wrong), "r.json");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().text().find("r.json: step_time[1].p50"), std::string::npos)
      << read.error().text();
}

TEST(Residuals, ThatShipHaveARowOfAllAndHoldEachCard) {
  const auto shipped = read_residuals(QUINTET_SOURCE_DIR "/traces/residuals.json");
  ASSERT_TRUE(shipped) << shipped.error().text();
  ASSERT_FALSE(shipped->step_time.empty());
  const StepResiduals& all = shipped->step_time.back();
  EXPECT_EQ(all.stack + all.gpu, "");
  int rows = 0;
  for (const StepResiduals& each : shipped->step_time)
    if (!each.stack.empty() && !each.gpu.empty()) rows += each.rows;
  EXPECT_EQ(rows, all.rows);  // every row is of one software on one card
  EXPECT_GE(all.rows, 600);   // the scoreboard's 648 timed rows
  EXPECT_GT(shipped->memory.verdicts, 1000);
}

}  // namespace
}  // namespace quintet::test
