// Fits of what others measured, where their tables are at hand: error on what was held out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>

#include "calibrate/fit/fitted_table.h"
#include "calibrate/fit/kernel_fits.h"
#include "calibrate/fit/measurement_files.h"
#include "calibrate/fit/own_rows.h"
#include "calibrate/fit/sweep_fit.h"
#include "sim/base/quantile.h"
#include "tests/support/shipped.h"

namespace quintet::calibrate {
namespace {

// Nothing where the file is not there.
std::optional<Measurements> published(const std::string& name) {
  const std::string path = test::source("../shared/" + name);
  if (!std::filesystem::exists(path)) return std::nullopt;
  const Result<Measurements> read = read_measurements(path);
  EXPECT_TRUE(read) << read.error().text();
  return read ? std::optional(*read) : std::nullopt;
}

std::string not_here(const std::string& name) {
  return "NOT CHECKED: there is no " + test::source("../shared/" + name);
}

// In the letters that GoogleTest takes.
const auto by_file = [](const auto& instance) {
  std::string name = instance.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char each) { return !std::isalnum(each); }, '_');
  return name;
};

// Errors of all sizes of all sweeps together, held out.
struct Errors {
  double median = 0, p90 = 0;
  std::size_t sizes = 0;
};
Errors errors_of(const std::vector<Sweep>& all) {
  std::vector<double> errors;
  for (const Sweep& sweep : all) {
    const SweepFit fit = fit_sweep(sweep.points);
    std::printf("%s %d ranks, %d hosts, %s: %s\n", sweep.which.source.c_str(), sweep.which.ranks,
                sweep.which.hosts, sweep.which.system.c_str(), text_of(fit.quality).c_str());
    errors.insert(errors.end(), fit.held_out_errors.begin(), fit.held_out_errors.end());
  }
  return {quantile(errors, 0.5), quantile(errors, 0.9), errors.size()};
}

class Vidur : public testing::TestWithParam<const char*> {};

TEST_P(Vidur, HeldOutWithinFivePercent) {
  const auto read = published(std::string("samples/vidur-network/") + GetParam());
  if (!read) GTEST_SKIP() << not_here(std::string("samples/vidur-network/") + GetParam());
  const Errors errors = errors_of(sweeps(read->collectives));
  std::printf("%s: %zu sizes, held out median %.1f %%, p90 %.1f %%\n", GetParam(), errors.sizes,
              100 * errors.median, 100 * errors.p90);
  EXPECT_LE(errors.median, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Tables, Vidur,
                         testing::Values("a100_dgx/all_reduce.csv", "a100_dgx/send_recv.csv",
                                         "h100_dgx/all_reduce.csv", "h100_dgx/send_recv.csv"),
                         by_file);

TEST(PublishedSweeps, OfA100AndH100HeldOutWithinFivePercent) {
  const auto read = published("validation/collectives.csv");
  if (!read) GTEST_SKIP() << not_here("validation/collectives.csv");
  std::vector<Sweep> own;
  for (const Sweep& sweep : sweeps(read->collectives))
    if (sweep.which.gpu.starts_with("A100") || sweep.which.gpu.starts_with("H100"))
      own.push_back(sweep);
  const Errors errors = errors_of(own);
  std::printf("%zu sweeps, %zu sizes: held out median %.1f %%, p90 %.1f %%\n", own.size(),
              errors.sizes, 100 * errors.median, 100 * errors.p90);
  EXPECT_LE(errors.median, 0.05);
}

class Kernels : public testing::TestWithParam<const char*> {};

template <class Sample>
std::vector<Sample> of_card(std::vector<Sample> samples, const CostTable& table) {
  std::erase_if(samples, [&](const Sample& each) { return !is_same_gpu(each.gpu, table.gpu); });
  return samples;
}

TEST_P(Kernels, GemmsHeldOutWithinSixPercent) {
  const auto read = published("validation/kernels_gemm.csv");
  if (!read) GTEST_SKIP() << not_here("validation/kernels_gemm.csv");
  const CostTable table = test::shipped_costs(GetParam());
  const auto fit = fit_gemm(of_card(read->gemms, table), DataType::fp16, table);
  ASSERT_TRUE(fit);
  std::printf("%s GEMM fp16: %s\n", GetParam(), text_of(fit->quality).c_str());
  EXPECT_LE(fit->quality.held_median, 0.06);
  EXPECT_LE(fit->quality.held_p90, 0.15);
}

TEST_P(Kernels, AttentionHeldOutWithinEightPercent) {
  const auto read = published("validation/kernels_attention.csv");
  if (!read) GTEST_SKIP() << not_here("validation/kernels_attention.csv");
  const CostTable table = test::shipped_costs(GetParam());
  const auto fit = fit_attention(of_card(read->attentions, table), table);
  ASSERT_TRUE(fit);
  std::printf("%s attention: %s\n", GetParam(), text_of(fit->quality).c_str());
  EXPECT_LE(fit->quality.held_median, 0.08);
}

TEST_P(Kernels, NormsHeldOutWithinEightPercent) {
  const auto read = published("validation/kernels_memory_bound.csv");
  if (!read) GTEST_SKIP() << not_here("validation/kernels_memory_bound.csv");
  const CostTable table = test::shipped_costs(GetParam());
  for (const auto operation :
       {MemoryOperation::norm, MemoryOperation::activation, MemoryOperation::elementwise}) {
    const auto fit = fit_memory(of_card(read->memories, table), operation, table);
    ASSERT_TRUE(fit);
    std::printf("%s memory-bound %d: %s\n", GetParam(), static_cast<int>(operation),
                text_of(fit->quality).c_str());
    // vLLM's activations start late in wide rows and many waves, which no formula here knows.
    EXPECT_LE(fit->quality.held_median, operation == MemoryOperation::activation ? 0.1 : 0.08);
  }
}

INSTANTIATE_TEST_SUITE_P(Cards, Kernels, testing::Values("a100-sxm-80gb", "h100-sxm-80gb"),
                         by_file);

}  // namespace
}  // namespace quintet::calibrate
