// The shipped tables against the published rows they were fitted to, one set per GPU and type.
// Errors of held-out shapes are kept in each entry's "fit".
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "sim/cost/file/cost_table_file.h"
#include "sim/cost/kernel_time.h"
#include "tests/support/csv.h"

namespace quintet {
namespace {

using test::Row;

std::filesystem::path measurements() {
  return std::filesystem::path(QUINTET_SOURCE_DIR) / "../shared/validation";
}

std::vector<Row> rows_of(const std::string& file) {
  return test::csv_rows(measurements() / file);
}

std::int64_t whole(const Row& row, const std::string& name) {
  return std::stoll(row.at(name));
}

double real(const Row& row, const std::string& name) {
  return std::stod(row.at(name));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  if (values.empty()) return NAN;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

class Published : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(measurements() / "kernels_gemm.csv"))
      GTEST_SKIP() << "NOT CHECKED: the published measurements are not in " << measurements();
  }

  static CostTable table(const std::string& name) {
    const Result<CostTable> read = read_cost_table(std::filesystem::path(QUINTET_SOURCE_DIR) /
                                                   "traces/costs" / (name + "-sxm-80gb.json"));
    EXPECT_TRUE(read) << read.error().text();
    return *read;
  }

  // Rows of one shape are repetitions (other models, other ranks): their median counts, as in the
  // fit, so that often repeated shapes weigh no more.
  using Shape = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  void compare(const PricedOperator& work, const Shape& shape, const CostTable& costs,
               double measured) {
    Repeated& repeated = repeated_[shape];
    repeated.predicted = kernel_time(work, costs).value;
    repeated.measured.push_back(measured);
  }

  void expect_median_below(double limit, std::size_t least_rows) {
    for (const auto& [shape, repeated] : repeated_)
      errors_.push_back(std::abs(repeated.predicted / median(repeated.measured) - 1));
    repeated_.clear();
    EXPECT_GE(errors_.size(), least_rows);
    EXPECT_LE(median(errors_), limit) << "over " << errors_.size() << " rows";
    RecordProperty("median_error", std::to_string(median(errors_)));
  }

  void compare_gemm(const std::string& name, const std::string& gpu, DataType type) {
    const CostTable costs = table(name);
    for (const Row& row : rows_of("kernels_gemm.csv")) {
      if (row.at("gpu") != gpu || row.at("time_us").empty()) continue;
      if (row.at("groups") != "" && row.at("op") != "gemm") continue;  // grouped
      const GemmShape shape{whole(row, "m"), whole(row, "n"), whole(row, "k")};
      compare({OperatorKind::mlp_up, Phase::forward, type, shape}, {shape.m, shape.n, shape.k},
              costs, real(row, "time_us") * 1e-6);
    }
  }

  // Tensors of two bytes per element moved by the operation.
  void compare_memory(const std::string& name, const std::string& gpu, const std::string& operation,
                      OperatorKind kind, double tensors) {
    const CostTable costs = table(name);
    for (const Row& row : rows_of("kernels_memory_bound.csv")) {
      if (row.at("gpu") != gpu || row.at("op") != operation) continue;
      if (row.at("notes").find("phi-2") != std::string::npos) continue;  // other kernels
      const Bytes tensor{2 * real(row, "rows") * real(row, "cols")};
      const MemoryShape shape{tensor * (tensors - 1), tensor, whole(row, "rows"),
                              whole(row, "cols")};
      compare({kind, Phase::forward, DataType::fp16, shape},
              {shape.rows, shape.columns, static_cast<std::int64_t>(kind)}, costs,
              real(row, "time_ms") * 1e-3);
    }
  }

  void compare_attention(const std::string& name, const std::string& gpu,
                         const std::vector<std::string>& kernels) {
    const CostTable costs = table(name);
    for (const Row& row : rows_of("kernels_attention.csv")) {
      const auto& kernel = row.at("kernel");
      if (row.at("gpu") != gpu || row.at("tflops").empty()) continue;
      if (std::find(kernels.begin(), kernels.end(), kernel) == kernels.end()) continue;
      if (row.at("pass") == "fwd+bwd" && gpu == "H100-SXM") continue;
      compare_attention_row(row, costs);
    }
  }

  std::vector<double> errors_;

 private:
  struct Repeated {
    double predicted = 0;
    std::vector<double> measured;
  };
  std::map<Shape, Repeated> repeated_;

  void compare_attention_row(const Row& row, const CostTable& costs) {
    AttentionShape shape{whole(row, "batch"), whole(row, "heads"), whole(row, "kv_heads"),
                         whole(row, "seq"),   whole(row, "seq"),   whole(row, "head_dim")};
    shape.mask = row.at("causal") == "True" ? MaskKind::causal : MaskKind::bidirectional;
    PricedOperator work{OperatorKind::attention, Phase::forward, DataType::fp16, shape};
    Seconds predicted = kernel_time(work, costs);
    const bool both = row.at("pass") == "fwd+bwd";
    work.phase = Phase::input_gradient;
    if (both) predicted += kernel_time(work, costs);
    const double seq = static_cast<double>(shape.query_length);
    const double heads = static_cast<double>(shape.sequences * shape.heads);
    const double share = shape.mask == MaskKind::causal ? 0.5 : 1.0;
    const double flops = 4 * heads * seq * seq * real(row, "head_dim") * share * (both ? 3.5 : 1.0);
    errors_.push_back(std::abs(predicted.value * real(row, "tflops") * 1e12 / flops - 1));
  }
};

// Asked for: GEMM within 8 %. Fitted: 4.5 and 4.0 % (held out 4.6 and 4.2 %).
TEST_F(Published, GemmOnA100) {
  compare_gemm("a100", "A100-80GB-SXM", DataType::fp16);
  expect_median_below(0.05, 600);
}

TEST_F(Published, GemmOnH100) {
  compare_gemm("h100", "H100-SXM", DataType::fp16);
  expect_median_below(0.05, 550);
}

// DeepGEMM on H800: 2.8 % (held out 3.6 %).
TEST_F(Published, Fp8GemmOnHopper) {
  compare_gemm("h100", "H800-SXM", DataType::fp8);
  expect_median_below(0.05, 18);
}

// Asked for: attention within 10 %. Fitted: 0.8 % on A100, 5 % on H100, where one set stands for
// two libraries that differ by up to 20 % (held out, with the other cards: 1.9 and 4.5 %).
TEST_F(Published, FlashAttentionOnA100) {
  compare_attention("a100", "A100-80GB-SXM", {"FlashAttention-2"});
  expect_median_below(0.03, 24);
}

TEST_F(Published, FlashAttentionOnH100) {
  compare_attention("h100", "H100-SXM", {"FlashAttention-3", "cuDNN"});
  expect_median_below(0.07, 60);
}

// Asked for: norms within 8 %. Fitted: 3.9 and 2.2 % (held out 6.0 and 2.9 %); a timer of 1 us on
// kernels from 4 us.
TEST_F(Published, NormsOnA100) {
  compare_memory("a100", "A100-80GB-SXM", "input_layernorm", OperatorKind::norm, 2);
  expect_median_below(0.045, 24);
}

TEST_F(Published, NormsOnH100) {
  compare_memory("h100", "H100-SXM", "input_layernorm", OperatorKind::norm, 2);
  expect_median_below(0.045, 24);
}

TEST_F(Published, ActivationsAndAdditionsOnA100) {
  compare_memory("a100", "A100-80GB-SXM", "mlp_act", OperatorKind::mlp_activation, 3);
  compare_memory("a100", "A100-80GB-SXM", "add", OperatorKind::residual, 3);
  expect_median_below(0.08, 160);
}

TEST_F(Published, ActivationsAndAdditionsOnH100) {
  compare_memory("h100", "H100-SXM", "mlp_act", OperatorKind::mlp_activation, 3);
  compare_memory("h100", "H100-SXM", "add", OperatorKind::residual, 3);
  expect_median_below(0.10, 150);
}

// Korthikanti et al. (arXiv 2205.05198) Table 4: one layer of the 22B model (hidden 6144, 64 heads,
// sequence 2048, micro-batch 4) on 8 A100 with sequence parallelism: forward 7.2 ms, of it the
// attention core that selective recompute repeats, 13.1 - 11.8 = 1.3 ms. The four collectives move
// 8192 * 6144 * 2 B each; measured nccl-tests ring bandwidth of 8 A100 (about 223 GB/s) gives
// 0.40 ms each. Not fitted to.
struct LayerTimes {
  Seconds core, all;
};

LayerTimes korthikanti_forward(const CostTable& costs) {
  const auto price = [&](OperatorKind kind, const OperatorShape& shape) {
    return kernel_time({kind, Phase::forward, DataType::fp16, shape}, costs);
  };
  const Bytes share{8192.0 / 8 * 6144 * 2};
  const Bytes inner{8192.0 * 3072 * 2};
  const Seconds norm = price(OperatorKind::norm, MemoryShape{share, share, 1024, 6144});
  const Seconds residual = price(OperatorKind::residual, MemoryShape{2 * share, 1.5 * share});
  const Seconds core =
      price(OperatorKind::attention,
            AttentionShape{4, 8, 8, 2048, 2048, 96, MaskKind::causal, AttentionKernel::unfused});
  const Seconds gemms = price(OperatorKind::qkv_projection, GemmShape{8192, 2304, 6144}) +
                        price(OperatorKind::attention_output, GemmShape{8192, 6144, 768}) +
                        price(OperatorKind::mlp_up, GemmShape{8192, 3072, 6144}) +
                        price(OperatorKind::mlp_down, GemmShape{8192, 6144, 3072});
  const Seconds gelu = price(OperatorKind::mlp_activation, MemoryShape{inner, inner});
  return {core, 2 * norm + 2 * residual + core + gemms + gelu};
}

TEST_F(Published, A22BLayerForwardNearKorthikantisTable4) {
  const LayerTimes layer = korthikanti_forward(table("a100"));
  const Seconds collectives{4 * 7.0 / 8 * 8192 * 6144 * 2 / 223e9};
  EXPECT_NEAR((layer.all + collectives).value, 7.2e-3, 0.05 * 7.2e-3);
  EXPECT_NEAR(layer.core.value, 1.3e-3, 0.15 * 1.3e-3);
}

}  // namespace
}  // namespace quintet
