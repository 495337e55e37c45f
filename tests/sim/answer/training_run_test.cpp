#include "sim/answer/training_run.h"

#include <gtest/gtest.h>

#include "sim/answer/numbers_text.h"

namespace quintet::test {
namespace {

using namespace literals;

TEST(Tokens, AreReadWithTheirLetters) {
  EXPECT_EQ(*parse_tokens("15T"), 15e12);
  EXPECT_EQ(*parse_tokens("300 B"), 300e9);
  EXPECT_EQ(*parse_tokens("1.5e12"), 1.5e12);
  EXPECT_EQ(*parse_tokens("20M"), 20e6);
  EXPECT_EQ(*parse_tokens("7"), 7);
}

TEST(Tokens, ThatAreNoneAreRefused) {
  for (const char* const wrong : {"", "many", "15Q", "-3B", "0", "nan", "inf", "1e30", "1 T T"})
    EXPECT_FALSE(parse_tokens(wrong)) << wrong;
}

// 10 s for 4 million tokens: a trillion are 250,000 steps, 2.5 million seconds, 28.9 days; 2 MJ a
// step are 500 GJ or 138.9 MWh.
TEST(TrainingRun, IsSoManyWholeSteps) {
  StepSummary step;
  step.step = 10_s;
  step.energy = Joules{2e6};
  const TrainingRun run = training_run(1e12, 4'000'000, step, StepInterval{9_s, 12_s, "steps"});
  EXPECT_EQ(run.steps, 250'000);
  EXPECT_EQ(run.time.value, 2.5e6);
  EXPECT_EQ(run.interval->high.value, 3e6);
  EXPECT_EQ(run.energy.value, 5e11);
  EXPECT_EQ(text_of(run), "1 trillion tokens: 250,000 steps, 28.9 days (26.0 to 34.7), 139 MWh");
  EXPECT_EQ(training_run(4'000'001, 4'000'000, step, {}).steps, 2);
}

TEST(Numbers, AreSaidAsReadersDo) {
  EXPECT_EQ(grouped(1048576), "1,048,576");
  EXPECT_EQ(grouped(512), "512");
  EXPECT_EQ(in_words(8388608), "8.39 million");
  EXPECT_EQ(in_words(65536), "65,536");
  EXPECT_EQ(in_words(999.9e9), "1 trillion");
}

TEST(Paragraph, KeepsToAHundredColumns) {
  const std::string text = paragraph(
      "step", std::string(40, 'a') + " " + std::string(45, 'b') + " " + std::string(10, 'c'));
  // 13 columns, 40 letters, a blank and 45 letters are 99; 10 more begin a line.
  EXPECT_EQ(text, "  step       " + std::string(40, 'a') + " " + std::string(45, 'b') + "\n" +
                      std::string(13, ' ') + std::string(10, 'c') + "\n");
}

}  // namespace
}  // namespace quintet::test
