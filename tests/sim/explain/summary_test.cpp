#include "sim/explain/summary.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/timelines.h"

namespace quintet {
namespace {

using namespace literals;

// Megatron-LM's count of a sequence of 8,192 tokens through Llama-3-8B, 421 645 529 382 912 FLOP
// in 1.0 s on one GPU of 989.4e12.
TEST(StepSummary, F8_ModelFlopsUtilisation) {
  RankBreakdown mean{.step = duration(1_s)};
  const StepNumbers numbers{
      .model_flops = {421'645'529'382'912.0}, .tokens = 8192, .gpus = 1, .peak = 989.4_TFLOPs};
  EXPECT_NEAR(step_summary(mean, numbers).mfu, 0.426162856, 5e-10);
}

StepNumbers example() {
  return {.model_flops = {8e15},
          .hardware_flops = {10e15},
          .convention = "causal attention half, logits counted; peak dense bf16",
          .tokens = 40'000,
          .gpus = 16,
          .peak = 1000_TFLOPs,
          .gpu_power = 700_W,
          .gpu_idle_power = 100_W,
          .hosts = 2,
          .host_power = 2000_W,
          .network_power = 600_W,
          .price = {1.8}};
}

// A step of 2 s, three quarters of it computing (1.5 s).
RankBreakdown example_mean() {
  RankBreakdown mean{.step = duration(2_s), .compute = duration(1.5_s)};
  mean.idle = duration(0.5_s);
  return mean;
}

// MFU 8e15 / (2 s * 16 * 1e15) = 0.25, HFU 0.3125; 40,000 tokens / 2 s = 20,000, 1,250 per GPU.
// GPU power 100 + 600 * 0.75 = 550 W; 16 * 550 + 2 * 2000 + 600 = 13,400 W; * 2 s = 26,800 J.
// 1.8 $/h * 16 * 2 s / 3600 s = 0.016 $; * 1e12 / 40,000 = 400,000 $.
TEST(StepSummary, FollowsItsFormulas) {
  const StepSummary summary = step_summary(example_mean(), example());
  EXPECT_DOUBLE_EQ(summary.step.value, 2.0);
  EXPECT_DOUBLE_EQ(summary.mfu, 0.25);
  EXPECT_DOUBLE_EQ(summary.hfu, 0.3125);
  EXPECT_DOUBLE_EQ(summary.tokens_per_second, 20'000.0);
  EXPECT_DOUBLE_EQ(summary.tokens_per_second_per_gpu, 1250.0);
  EXPECT_DOUBLE_EQ(summary.compute_share, 0.75);
  EXPECT_DOUBLE_EQ(summary.power.value, 13'400.0);
  EXPECT_DOUBLE_EQ(summary.energy.value, 26'800.0);
  EXPECT_DOUBLE_EQ(summary.cost.value, 0.016);
  EXPECT_DOUBLE_EQ(summary.cost_per_trillion_tokens.value, 400'000.0);
}

// One rank computes all of the 2 s, one standing for 3 computes none: share 1/4.
TEST(StepSummary, TakesTheShareComputingOverAllRanks) {
  Timeline timeline = small_world(duration(2_s).picoseconds);
  add_span(timeline, add_track(timeline, 0), On::forward, 0, timeline.end.picoseconds);
  add_track(timeline, 0, 3);
  EXPECT_DOUBLE_EQ(step_summary(timeline, example()).compute_share, 0.25);
}

TEST(StepSummary, OfAnEmptyStepHasNoRates) {
  const StepSummary summary = step_summary(RankBreakdown{}, example());
  EXPECT_EQ(summary.mfu, 0.0);
  EXPECT_EQ(summary.tokens_per_second, 0.0);
  EXPECT_EQ(summary.energy, Joules{});
}

TEST(SummaryTable, ShowsPlansSideBySideAndNamesItsFormulas) {
  StepNumbers unpriced = example();
  unpriced.price = {};
  const std::vector<Named<StepSummary>> plans{{"first", step_summary(example_mean(), example())},
                                              {"second", step_summary(example_mean(), unpriced)}};
  EXPECT_EQ(summary_table(plans), R"(                           first     second
step time              2000.0 ms  2000.0 ms
MFU                       25.0 %     25.0 %
HFU                       31.2 %     31.2 %
tokens/s                   20000      20000
tokens/s per GPU            1250       1250
power                   13.40 kW   13.40 kW
energy per step         26.80 kJ   26.80 kJ
money per step         0.01600 $  not known
money per 1e12 tokens   400000 $  not known
MFU = model FLOPs / (step time x GPUs x peak); HFU counts recomputed FLOPs too
FLOPs: causal attention half, logits counted; peak dense bf16
GPU power = idle + (full - idle) x share of the step spent computing; hosts and network constant
)");
}

// 20,000 tokens/s by 16 ranks.
TEST(SummaryTable, OfRanksWithoutAPeakHasNoUtilisation) {
  StepNumbers processors = example();
  processors.peak = {};
  processors.gpu_power = {};
  processors.price = {};
  const std::vector<Named<StepSummary>> plans{{"first", step_summary(example_mean(), processors)}};
  EXPECT_EQ(summary_table(plans), R"(                       first
step time          2000.0 ms
tokens/s               20000
tokens/s per rank       1250
)");
}

TEST(SummaryJson, CarriesUnitsInItsKeys) {
  const std::vector<Named<StepSummary>> plans{{"first", step_summary(example_mean(), example())}};
  const nlohmann::json json = nlohmann::json::parse(summary_json(plans));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_DOUBLE_EQ(json["plans"][0]["energy_per_step_j"].get<double>(), 26'800.0);
  EXPECT_DOUBLE_EQ(json["plans"][0]["step_s"].get<double>(), 2.0);
}

}  // namespace
}  // namespace quintet
