#include "engine/train/step_figures.h"

#include <gtest/gtest.h>

#include "engine/train/datasheet_peak.h"
#include "engine/train/step_log.h"

namespace quintet::engine {
namespace {

RankFigures figures(double loss_sum, double step, double exposed) {
  RankFigures made;
  made.loss_sum = loss_sum;
  made.step = step;
  made.exposed = exposed;
  made.peak = 10;
  return made;
}

// Loss: (6 + 2) / 4 targets. Shares: (1/2 + 1/4) / 2.
TEST(StepFigures, AreSumsOfLossesAndMeansOfShares) {
  const StepFigures whole = combined({figures(6, 2, 1), figures(2, 4, 1)}, 4);
  EXPECT_EQ(whole.loss, 2.0);
  EXPECT_EQ(whole.step, 4.0);
  EXPECT_EQ(whole.exposed_share, 0.375);
  EXPECT_EQ(whole.peak, 20.0);
  EXPECT_EQ(whole.go_on, GoOn::yes);
}

TEST(StepFigures, LetOneRankEndTheRunForAll) {
  std::vector<RankFigures> all(3);
  all[2].go_on = GoOn::no;
  EXPECT_EQ(combined(all, 1).go_on, GoOn::no);
}

StepRecord record(int step, double loss, double seconds) {
  StepRecord made;
  made.step = step;
  made.figures.loss = loss;
  made.seconds = seconds;
  made.tokens = 100;
  return made;
}

// Median of 0.1, 0.2, 5 s: 0.2 s; 100 tokens / 0.2 s.
TEST(RunSummary, TakesTheMedianStep) {
  const RunSummary summary = summary_of({record(1, 3, 5), record(2, 2, 0.1), record(3, 1, 0.2)});
  EXPECT_EQ(summary.first_loss, 3.0);
  EXPECT_EQ(summary.last_loss, 1.0);
  EXPECT_EQ(summary.median_seconds, 0.2);
  EXPECT_EQ(summary.tokens_per_second, 500.0);
  EXPECT_EQ(summary_text(summary),
            "Loss 3.0000 -> 1.0000 in 3 steps; median step 200.0 ms, 500 tokens/s.");
}

TEST(ProgressLine, SaysAllThatIsAskedOfIt) {
  StepRecord made = record(7, 2.5, 0.25);
  made.figures.gradient_norm = 1.5;
  made.figures.exposed_share = 0.125;
  made.figures.has_shares = true;
  made.learning_rate = 1e-3;
  made.utilisation.of_measured = 0.5;
  EXPECT_EQ(step_line(made, 100),
            "step   7/100  loss 2.5000  norm 1.500  rate 1.00e-03  250.0 ms  400 tokens/s  "
            "MFU 50.0 %  exposed communication 12.5 %");
}

// 60 TFLOP in 0.25 s of 800 TFLOP/s, and of 600.
TEST(ProgressLine, TellsADatasheetsPeakFromWhatProductsReach) {
  StepRecord made = record(7, 2.5, 0.25);
  made.utilisation =
      utilisation_of(Flops{60e12}, Seconds{0.25}, {FlopRate{600e12}, FlopRate{800e12}});
  EXPECT_EQ(step_line(made, 7),
            "step 7/7  loss 2.5000  rate 0.00e+00  250.0 ms  400 tokens/s  MFU 30.0 % (40.0 % of "
            "products)");
}

// Without a datasheet MFU is against what was measured.
TEST(Utilisations, OfUnknownGpusAreThoseOfMeasuredPeaks) {
  const Utilisation found =
      utilisation_of(Flops{60e12}, Seconds{0.25}, {FlopRate{600e12}, FlopRate{}});
  EXPECT_EQ(found.of_datasheet, 0.0);
  EXPECT_DOUBLE_EQ(found.mfu(), 0.4);
}

double peak(std::string_view device, DataType type) {
  return datasheet_peak(device, type).value_or(FlopRate{}).value / 1e12;
}

TEST(DatasheetPeaks, AreFoundByTheDriversNames) {
  EXPECT_EQ(peak("NVIDIA H200", DataType::bf16), 989.4);
  EXPECT_EQ(peak("NVIDIA H100 80GB HBM3", DataType::bf16), 989.4);
  EXPECT_EQ(peak("NVIDIA H100 PCIe", DataType::bf16), 756);
  EXPECT_EQ(peak("NVIDIA H100 NVL", DataType::bf16), 835.5);
  EXPECT_EQ(peak("NVIDIA A100-SXM4-80GB", DataType::fp32), 19.5);
  EXPECT_EQ(peak("NVIDIA GB200", DataType::bf16), 2500);
  EXPECT_EQ(peak("NVIDIA B200", DataType::bf16), 2250);
  EXPECT_FALSE(datasheet_peak("fake device", DataType::bf16));
  EXPECT_FALSE(datasheet_peak("NVIDIA H200", DataType::fp8));
}

}  // namespace
}  // namespace quintet::engine
