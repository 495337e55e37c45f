#include "sim/training_run/training_run.h"

#include <gtest/gtest.h>

#include "sim/answer/numbers_text.h"
#include "sim/answer/run_text.h"

namespace quintet::test {
namespace {

using namespace literals;

double tokens(const char* text) {
  return parse_run_length(text, RunUnit::tokens)->count;
}

TEST(Tokens, AreReadWithTheirLetters) {
  EXPECT_EQ(tokens("15T"), 15e12);
  EXPECT_EQ(tokens("300 B"), 300e9);
  EXPECT_EQ(tokens("1.5e12"), 1.5e12);
  EXPECT_EQ(tokens("20M"), 20e6);
  EXPECT_EQ(tokens("7"), 7);
}

TEST(Tokens, ThatAreNoneAreRefused) {
  for (const char* const wrong : {"", "many", "15Q", "-3B", "0", "nan", "inf", "1e30", "1 T T"})
    EXPECT_FALSE(parse_run_length(wrong, RunUnit::samples)) << wrong;
}

RunParts ten_seconds() {
  RunParts parts{4'000'000, 1000, {}};
  parts.step.step = 10_s;
  parts.step.energy = Joules{2e6};
  parts.step.power = Watts{2e5};
  return parts;
}

// 10 s for 4 million tokens: a trillion are 250,000 steps, 2.5 million seconds, 28.9 days; 2 MJ a
// step are 500 GJ or 138.9 MWh.
TEST(TrainingRun, IsSoManyWholeSteps) {
  RunParts parts = ten_seconds();
  parts.interval = StepInterval{9_s, 12_s, "steps"};
  const TrainingRun run = training_run({1e12, RunUnit::tokens}, parts);
  EXPECT_EQ(run.steps, 250'000);
  EXPECT_EQ(run.time.value, 2.5e6);
  EXPECT_EQ(run.interval->high.value, 3e6);
  EXPECT_EQ(run.energy.value, 5e11);
  EXPECT_EQ(text_of(run), "1 trillion tokens: 250,000 steps, 28.9 days (26.0 to 34.7), 139 MWh");
  EXPECT_EQ(training_run({4'000'001, RunUnit::tokens}, ten_seconds()).steps, 2);
  EXPECT_EQ(training_run({1001, RunUnit::samples}, ten_seconds()).steps, 2);
}

// 20 steps of 1,000 samples, 200 s. Evaluations after 6, 12 and 18 of them (every 6,000 samples),
// 3 x 4 s; checkpoints after 8 and 16, of 10 GB at 2 GB/s, 2 x 5 s; start-up 30 s: 252 s. Energy:
// 20 x 2 MJ, 12 s at 0.2 MW, 40 s at 0.05 MW: 40 + 2.4 + 2 MJ. Rent: 1 $ a step of 10 s.
TEST(TrainingRun, StartsEvaluatesAndSaves) {
  RunParts parts = ten_seconds();
  parts.step.cost = Dollars{1};
  parts.interval = StepInterval{9_s, 12_s, "steps"};
  parts.how.start_up = 30_s;
  parts.how.evaluation = {.every = 6000, .samples = 10};
  parts.how.checkpoints = {.every = 8, .size = {}, .rate = Bandwidth{2e9}};
  parts.evaluation = 4_s;
  parts.state = Bytes{10e9};
  parts.waiting = Watts{5e4};
  const TrainingRun run = training_run({20, RunUnit::steps}, parts);
  EXPECT_EQ(run.samples, 20'000);
  EXPECT_EQ(run.tokens, 80e6);
  EXPECT_EQ(run.evaluations, 3);
  EXPECT_EQ(run.checkpoints, 2);
  EXPECT_DOUBLE_EQ(run.time.value, 252);
  EXPECT_DOUBLE_EQ(run.interval->low.value, 232);
  EXPECT_DOUBLE_EQ(run.energy.value, 44.4e6);
  EXPECT_DOUBLE_EQ(run.cost.value, 25.2);
  EXPECT_EQ(text_of(run),
            "20,000 samples: 20 steps, 4.20 minutes (3.87 to 4.87), of which start-up 0.50 minutes, "
            "3 evaluations 0.20 minutes, 2 checkpoints 0.17 minutes, 12 kWh, 25.20 $ of rent");
  parts.how.checkpoints.size = Bytes{20e9};
  EXPECT_DOUBLE_EQ(training_run({20, RunUnit::steps}, parts).checkpointing.value, 20);
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
