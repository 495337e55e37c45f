#include "sim/validate/fit/fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/validate/fit/cross_validation.h"
#include "sim/validate/fit/estimate.h"
#include "sim/validate/report/fit_report.h"
#include "tests/sim/validate/rows.h"
#include "tests/sim/validate/shelf.h"

namespace quintet {
namespace {

ShelfFiles shipped_files() {
  return {repository() / "traces/stacks",
          repository() / "traces/machines/published.json",
          {repository() / "traces/costs/a100-sxm-80gb.json",
           repository() / "traces/costs/b200-sxm-180gb.json"},
          repository() / "topologies"};
}

// The row with another model's name, width and micro-batch count, "measured" by `shelf` itself.
RowVerdict as_measured(const TunableShelf& shelf, MachinePark& machines, const std::string& name,
                       int hidden, int batch) {
  PublishedRow row = parse_rows(header() + gpt_row(), "invented.csv")->front();
  row.framework = "Megatron-DeepSpeed";
  row.model = name;
  row.hidden = hidden;
  row.gbs = batch;
  row.vpp.clear();
  row.step_time_s = verdict_of(row, shelf.shelf, machines).prediction->step.value;
  return verdict_of(row, shelf.shelf, machines);
}

std::size_t index_of(const TunableShelf& shelf, const std::string& owner, const std::string& path) {
  for (std::size_t i = 0; i < shelf.free.size(); ++i)
    if (shelf.free[i].owner == owner && shelf.free[i].parameter.path == path) return i;
  ADD_FAILURE() << path << " of " << owner << " is not declared";
  return 0;
}

TEST(TunableShelf, EveryDeclaredParameterCanBeSetToEveryOtherValueAndSaysWhereItIsFrom) {
  const auto shelf = read_tunable_shelf(shipped_files());
  ASSERT_TRUE(shelf) << shelf.error().text();
  EXPECT_GE(shelf->free.size(), 11u);
  for (std::size_t i = 0; i < shelf->free.size(); ++i) {
    const FreeParameter& parameter = shelf->free[i].parameter;
    EXPECT_FALSE(parameter.source.empty() || parameter.meaning.empty()) << parameter.path;
    for (const int point : {0, points_of(parameter.range) - 1}) {
      const auto set = with_settings(*shelf, {{i, value_at(parameter.range, point)}});
      EXPECT_TRUE(set) << set.error().text();
    }
  }
}

TEST(TunableShelf, SetsAStackACostTableAndAMachine) {
  const auto shelf = read_tunable_shelf(shipped_files());
  ASSERT_TRUE(shelf) << shelf.error().text();
  const auto set = with_settings(
      *shelf, {{index_of(*shelf, "Megatron-DeepSpeed", "costs.eager"), "\"7 us\""},
               {index_of(*shelf, "B200-SXM-180GB", "gemm.*.sustained"), "0.75"},
               {index_of(*shelf, "aleph-alpha-a100", "host.nic.bandwidth"), "\"50 Gb/s\""}});
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(stack_of(set->shelf.stacks, "Megatron-DeepSpeed")->costs.eager, Seconds{7e-6});
  ASSERT_EQ(set->shelf.costs.size(), 2u);
  for (const GemmCosts& gemm : set->shelf.costs[1].gemm) EXPECT_EQ(gemm.sustained, 0.75);
  MachinePark usual(repository() / "topologies");
  MachinePark slow(repository() / "topologies", set->topology_values);
  const auto fast_links = usual.with_gpus("aleph-alpha-a100", 16);
  const auto slow_links = slow.with_gpus("aleph-alpha-a100", 16);
  ASSERT_TRUE(fast_links && slow_links);
  std::set<double> fast_rates, slow_rates;
  for (const Link& link : (*fast_links)->links) fast_rates.insert(link.bandwidth.value);
  for (const Link& link : (*slow_links)->links) slow_rates.insert(link.bandwidth.value);
  // 100 Gb/s ship, 12.5 GB/s; 50 Gb/s are 6.25 GB/s.
  EXPECT_TRUE(fast_rates.contains(12.5e9) && !fast_rates.contains(6.25e9));
  EXPECT_TRUE(slow_rates.contains(6.25e9) && !slow_rates.contains(12.5e9));
}

// Rows that a launch time of 60 us makes are given; the search starts at 20 us. 60 us lies between
// two grid points 5.9 % apart (5 us to 200 us in 64 equal factors: 40^(1/64) = 1.0593), so the
// estimate is within that of the truth, and so is every model's by the others.
TEST(Fit, FindsTheLaunchTimeThatMadeTheRows) {
  auto shelf = read_tunable_shelf(shipped_files());
  ASSERT_TRUE(shelf) << shelf.error().text();
  const std::size_t eager = index_of(*shelf, "Megatron-DeepSpeed", "costs.eager");
  MachinePark machines(shelf->topologies);
  std::vector<RowVerdict> verdicts;
  for (const int batch : {16, 32})
    for (const int width : {256, 384, 512})
      verdicts.push_back(
          as_measured(*shelf, machines, "width " + std::to_string(width), width, batch));
  shelf->free[eager].parameter.value = "\"20 us\"";
  std::vector<const RowVerdict*> rows;
  for (const RowVerdict& verdict : verdicts) rows.push_back(&verdict);
  const auto fits = fit(*shelf, rows, {eager}, {.threads = 2, .resamplings = 20, .progress = {}});
  ASSERT_TRUE(fits) << fits.error().text();
  ASSERT_EQ(fits->size(), 1u);
  const Fit& one = fits->front();
  EXPECT_EQ(one.rows, 6);
  EXPECT_NEAR(std::stod(plain(one.parameters.front().estimate)), 60, 60 * 0.06);
  EXPECT_LT(one.fitted.time.largest, 0.06);
  ASSERT_EQ(one.models.size(), 3u);
  for (const ModelLeftOut& model : one.models) {
    EXPECT_EQ(model.rows, 2);
    EXPECT_NEAR(std::stod(plain(model.estimates.front())), 60, 60 * 0.06) << model.model;
  }
  EXPECT_EQ(one.left_out.time.count, 6);
}

// For ranks 10 GiB below and above the capacity verdicts are certain; a row that "failed" although
// it fits with any framework memory from 0.3 to 4 GB stays wrong, and the fit says so.
TEST(Fit, CountsWrongVerdictsOfMemory) {
  const auto shelf = read_tunable_shelf(shipped_files());
  ASSERT_TRUE(shelf) << shelf.error().text();
  const std::size_t memory = index_of(*shelf, "Aleph Alpha Scaling", "costs.framework_memory");
  MachinePark machines(shelf->topologies);
  PublishedRow row = parse_rows(header() + gpt_row(), "invented.csv")->front();
  row.framework = "Aleph Alpha Scaling";
  row.network = "InfiniBand (rate not in repo)";
  const RowVerdict ran = verdict_of(row, shelf->shelf, machines);
  row.status = RowStatus::out_of_memory;
  const RowVerdict failed = verdict_of(row, shelf->shelf, machines);
  ASSERT_TRUE(ran.prediction && ran.prediction->fits) << ran.reason;
  const auto fits = fit(*shelf, {&ran, &ran, &failed}, {memory},
                        {.threads = 1, .resamplings = 5, .progress = {}});
  ASSERT_TRUE(fits) << fits.error().text();
  ASSERT_EQ(fits->size(), 1u);
  EXPECT_EQ(fits->front().judged_by, JudgedBy::memory);
  EXPECT_EQ(fits->front().fitted.verdicts, 3);
  EXPECT_EQ(fits->front().fitted.wrong_verdicts, 1);
  EXPECT_TRUE(fits->front().models.empty());  // one model: nothing to leave out
}

TEST(Fit, WithoutParametersThereIsNone) {
  const auto shelf = read_tunable_shelf(shipped_files());
  ASSERT_TRUE(shelf) << shelf.error().text();
  const auto fits = fit(*shelf, {}, {}, {});
  ASSERT_TRUE(fits) << fits.error().text();
  EXPECT_TRUE(fits->empty());
  EXPECT_EQ(fit_text("llm.c", *fits),
            "llm.c has no free parameters that these rows could decide.\n");
}

TEST(CrossValidation, CountsParametersWhereverTheyStandAndLeavesUnfittedSourcesAsTheyAre) {
  const auto shelf = read_tunable_shelf(shipped_files());
  ASSERT_TRUE(shelf) << shelf.error().text();
  MachinePark machines(shelf->topologies);
  std::vector<RowVerdict> verdicts;
  for (const int width : {512, 1024, 2048})
    verdicts.push_back(as_measured(*shelf, machines, std::to_string(width), width, 32));
  std::vector<SourceSummary> summary = summaries(verdicts);
  count_parameters(*shelf, verdicts, summary);
  // The rows use the stack's own, the launch time among them, all chosen on other files.
  const auto own =
      std::count_if(shelf->free.begin(), shelf->free.end(),
                    [](const ShelfParameter& each) { return each.owner == "Megatron-DeepSpeed"; });
  ASSERT_EQ(summary.size(), 2u);
  EXPECT_EQ(summary.front().models, 3);
  EXPECT_GE(summary.front().free_parameters, 1);
  EXPECT_EQ(summary.front().free_parameters, own);
  EXPECT_EQ(summary.front().chosen_here, 0);
  EXPECT_EQ(summary.back().free_parameters, own);
  const auto fits =
      cross_validate(*shelf, verdicts, {.threads = 1, .resamplings = 5, .progress = {}}, summary);
  ASSERT_TRUE(fits) << fits.error().text();
  EXPECT_TRUE(fits->empty());
  EXPECT_EQ(summary.front().cross_validated,
            (CrossValidated{summary.front().time.mean, summary.front().time.mean, 0}));
  EXPECT_FALSE(summary.back().cross_validated);
}

}  // namespace
}  // namespace quintet
