#include "sim/training_run/training_run.h"

#include <gtest/gtest.h>

#include "sim/answer/numbers_text.h"
#include "sim/answer/run_text.h"
#include "sim/training_run/periodic_step.h"

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
  EXPECT_EQ(
      text_of(run),
      "20,000 samples: 20 steps, 4.20 minutes (3.87 to 4.87), of which start-up 0.50 minutes, "
      "3 evaluations 0.20 minutes, 2 checkpoints 0.17 minutes, 12 kWh, 25.20 $ of rent");
  parts.how.checkpoints.size = Bytes{20e9};
  EXPECT_DOUBLE_EQ(training_run({20, RunUnit::steps}, parts).checkpointing.value, 20);
}

// Of 25 steps the 10th and the 20th are of 10 s, the others of 1 s: 20 + 23 s, and of energy
// 2 x 2 + 23 x 0.1 MJ. The interval of 9 to 12 s, -10 % and +20 %, is that of all.
TEST(TrainingRun, HasStepsWithAndWithoutAnExchange) {
  RunParts parts = ten_seconds();
  parts.every = 10;
  parts.between = parts.step;
  parts.between.step = 1_s;
  parts.between.energy = Joules{1e5};
  parts.interval = StepInterval{9_s, 12_s, "steps"};
  const TrainingRun run = training_run({25, RunUnit::steps}, parts);
  EXPECT_DOUBLE_EQ(run.time.value, 43);
  EXPECT_DOUBLE_EQ(run.energy.value, 6.3e6);
  EXPECT_DOUBLE_EQ(run.interval->low.value, 38.7);
  EXPECT_DOUBLE_EQ(run.interval->high.value, 51.6);
}

// Of 10 steps one takes 10 s and 2 MJ, nine 1 s and 0.1 MJ: 1.9 s and 0.29 MJ in the mean; rates
// are 10 / 1.9 times those of the long step.
TEST(TrainingRun, HasRatesOfItsMeanStep) {
  StepSummary with = ten_seconds().step, between = with;
  with.mfu = 0.19;
  with.cost = Dollars{10};
  between.step = 1_s;
  between.energy = Joules{1e5};
  between.cost = Dollars{1};
  const StepSummary mean = mean_summary(10, with, between);
  EXPECT_EQ(mean.step, 10_s);
  EXPECT_DOUBLE_EQ(mean.mfu, 1.0);
  EXPECT_DOUBLE_EQ(mean.energy.value, 0.29e6);
  EXPECT_DOUBLE_EQ(mean.cost.value, 1.9);
  EXPECT_DOUBLE_EQ(mean.power.value, 0.29e6 / 1.9);
}

// 16 samples a step, and an evaluation every 10: one after each step.
TEST(TrainingRun, EvaluatesOncePerStepAtMost) {
  RunParts parts = ten_seconds();
  parts.samples_per_step = 16;
  parts.how.evaluation = {.every = 10, .samples = 160};
  EXPECT_EQ(training_run({1000, RunUnit::steps}, parts).evaluations, 1000);
}

// 4 million tokens a step: 86.4 million tokens are 22 steps of 10 s, 3.67 minutes and 12.2 kWh.
TEST(TrainingRun, IsToldInTheUnitThatSuitsIt) {
  EXPECT_EQ(text_of(training_run({86.4e6, RunUnit::tokens}, ten_seconds())),
            "86.4 million tokens: 22 steps, 3.67 minutes, 12 kWh");
  EXPECT_EQ(text_of(training_run({1, RunUnit::samples}, ten_seconds())),
            "1 sample: 1 step, 10.0 s, 0.56 kWh");
  EXPECT_EQ(asked_text({1, RunUnit::steps}), "1 step");
  EXPECT_EQ(asked_text({2e6, RunUnit::samples}), "2 million samples");
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
