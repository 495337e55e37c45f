// Formulas fitted to times that the formulas gave: what comes back is what went in.
#include "calibrate/fit/kernel_fits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "calibrate/fit/fitted_table.h"
#include "calibrate/fit/own_rows.h"
#include "sim/cost/gemm_time.h"
#include "tests/support/shipped.h"

namespace quintet::calibrate {
namespace {

CostTable card() {
  return test::shipped_costs("h100-sxm-80gb");
}

// 60 shapes; `slow` of them, every 20th, take ten times as long as they should.
std::vector<GemmSample> gemm_samples(const CostTable& table, double slow) {
  std::vector<GemmSample> samples;
  for (const std::int64_t m : {64, 256, 1024, 4096})
    for (const std::int64_t n : {512, 1536, 4096, 12288, 28672})
      for (const std::int64_t k : {512, 4096, 16384}) {
        const GemmShape shape{m, n, k};
        const Seconds time = gemm_use(shape, *gemm_costs(DataType::fp16, table), table).time;
        const double factor = samples.size() % 20 == 7 ? slow : 1;
        samples.push_back({DataType::fp16, static_cast<double>(m), static_cast<double>(n),
                           static_cast<double>(k), factor * time, table.gpu, "x", "made.csv"});
      }
  return samples;
}

TEST(GemmFit, FindsTheFormulaThatMadeTheTimes) {
  const CostTable table = card();
  const auto fit = fit_gemm(gemm_samples(table, 1), DataType::fp16, table);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->quality.samples, 60);
  EXPECT_LT(fit->quality.median, 0.01);
  EXPECT_LT(fit->quality.held_median, 0.03);
  EXPECT_EQ(fit->costs.covered[2], (Covered{"k", 512, 16384}));
  EXPECT_EQ(fit->costs.residuals, fit->quality.residuals);
}

TEST(GemmFit, AFewTimesTenTimesTooLongMoveItLittle) {
  const CostTable table = card();
  const auto fit = fit_gemm(gemm_samples(table, 10), DataType::fp16, table);
  ASSERT_TRUE(fit);
  EXPECT_LT(fit->quality.median, 0.03);
  EXPECT_GT(fit->quality.residuals.p95, 0.5);  // they are among the residuals
}

TEST(GemmFit, TooFewShapesAreNotFitted) {
  const CostTable table = card();
  std::vector<GemmSample> samples = gemm_samples(table, 1);
  samples.resize(11);
  EXPECT_FALSE(fit_gemm(samples, DataType::fp16, table));
  EXPECT_FALSE(fit_gemm(gemm_samples(table, 1), DataType::fp32, table));
}

TEST(SameGpu, WordsMayStandInAnyOrderOrBeLeftOut) {
  EXPECT_TRUE(is_same_gpu("A100-80GB-SXM", "A100-SXM-80GB"));
  EXPECT_TRUE(is_same_gpu("NVIDIA H100 80GB HBM3", "H100-SXM-80GB"));
  EXPECT_TRUE(is_same_gpu("", "H100-SXM-80GB"));
  EXPECT_FALSE(is_same_gpu("A100-40GB-SXM", "A100-SXM-80GB"));
  EXPECT_FALSE(is_same_gpu("H200-SXM", "H100-SXM-80GB"));
}

std::string base_text() {
  std::ifstream file(test::source("traces/costs/h100-sxm-80gb.json"));
  return {std::istreambuf_iterator<char>(file), {}};
}

// All-reduce of 8 ranks: 20 us and 100 GB/s; 1 MiB takes 20 + 10.5 us.
Measurements measurements() {
  Measurements made;
  made.gemms = gemm_samples(card(), 1);
  for (int i = 0; i < 18; ++i) {
    const double bytes = std::exp2(10 + i);
    made.collectives.push_back(
        {.ranks = 8, .size = {bytes}, .time = {20e-6 + bytes / 100e9}, .source = "ar.txt"});
  }
  return made;
}

TEST(FittedTable, ReadsBackWithCurvesResidualsAndSources) {
  const auto made = fitted_table(base_text(), "base.json", measurements(), "2026-11-22");
  ASSERT_TRUE(made) << made.error().text();
  const auto table = parse_cost_table(made->text, "made.json");
  ASSERT_TRUE(table) << table.error().text();
  const GemmCosts* const gemm = gemm_costs(DataType::fp16, *table);
  EXPECT_EQ(gemm->source.substr(0, 49), "made.csv; fitted 2026-11-22 by quintet fit; 60 sa");
  EXPECT_EQ(gemm->residuals.samples, 60);
  EXPECT_EQ(gemm->covered[0], (Covered{"m", 64, 4096}));
  const auto& curves = table->communication.curves;
  ASSERT_FALSE(curves.empty());
  EXPECT_EQ(curves[0].points.front().size, Bytes{8192});
  EXPECT_GT(curves[0].residuals.samples, 8);
  EXPECT_EQ(table->attention, card().attention);  // not measured
  EXPECT_EQ(made->kept,
            (std::vector<std::string>{"attention", "memory", "launch", "copy", "overlap"}));
}

// A forced algorithm is not what the library chose: its curve stands beside, by its name.
TEST(FittedTable, KeepsForcedAlgorithmsApartAndSaysWhatItLeftOut) {
  Measurements made = measurements();
  const std::vector<CollectiveSample> chosen = made.collectives;
  for (CollectiveSample each : chosen) {
    each.algorithm = "Ring";
    each.protocol = "LL128";
    each.time = 2 * each.time;
    made.collectives.push_back(each);
  }
  for (CollectiveSample each : {chosen[0], chosen[1]}) {
    each.kind = Swept::all_gather;
    made.collectives.push_back(each);
    each.gpu = "V100-16GB";
    made.collectives.push_back(each);
  }
  const auto fitted = fitted_table(base_text(), "base.json", made, "today");
  ASSERT_TRUE(fitted) << fitted.error().text();
  const auto table = parse_cost_table(fitted->text, "made.json");
  ASSERT_TRUE(table) << table.error().text();
  const std::vector<CollectiveCurve>& curves = table->communication.curves;
  ASSERT_GE(curves.size(), 2u);
  EXPECT_EQ(curves[0].algorithm, std::nullopt);
  EXPECT_EQ(curves[1].algorithm, Algorithm::ring);
  EXPECT_EQ(curves[1].protocol, Protocol::ll128);
  EXPECT_NEAR(curves[1].points.back().time / curves[0].points.back().time, 2, 1e-3);
  EXPECT_EQ(fitted->left_out,
            (std::vector<std::string>{
                "1 sweep of fewer than 8 sizes: all_gather, 8 ranks, 1 host (2 sizes)",
                "2 rows of other GPUs: V100-16GB"}));
}

TEST(FittedTable, SaysWhoseTheMeasurementsAreWhenNoneIsOfTheCard) {
  Measurements other = measurements();
  for (GemmSample& each : other.gemms) each.gpu = "V100-16GB";
  for (CollectiveSample& each : other.collectives) each.gpu = "MI300X";
  const auto made = fitted_table(base_text(), "base.json", other, "today");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().text(),
            "base.json: gpu: none of the measurements is of \"H100-SXM-80GB\"; they are of MI300X; "
            "V100-16GB");
}

}  // namespace
}  // namespace quintet::calibrate
