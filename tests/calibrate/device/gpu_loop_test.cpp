// quintet calibrate and quintet loop on GPUs as they are typed, on a stand-in for one that the
// programs load in place of the GPU's part: real runs, of kernels that compute nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include <nlohmann/json.hpp>

#include "sim/cost/file/cost_table_file.h"
#include "sim/cost/operator_family.h"
#include "tests/support/run_program.h"
#include "tests/support/shipped.h"
#include "tests/support/temporary_folder.h"

namespace quintet::test {
namespace {

constexpr const char* on_stand_in = "QUINTET_CUDA_MODULE=" QUINTET_FAKE_GPU " quintet ";

// Two layers, no dropout.
constexpr const char* small_model =
    R"({"model_type": "gpt2", "n_layer": 2, "n_embd": 64, "n_head": 2,
  "n_positions": 64, "vocab_size": 256, "activation_function": "gelu_new", "resid_pdrop": 0.0,
  "attn_pdrop": 0.0, "embd_pdrop": 0.0, "tie_word_embeddings": true})";

class GpuLoop : public testing::Test {
 protected:
  GpuLoop() { std::ofstream(folder_.path() / "model.json") << small_model; }
  ProgramRun run(const std::string& words) const {
    return run_shell(on_stand_in + words, folder_.path());
  }
  ProgramRun calibrated() const {
    return run(
        "calibrate --device gpu --topology h200-1 --model model.json --smallest 64 --largest 128 "
        "--length 64 --tokens 256 --types bf16 fp32 --time 8 --target 50 --busy -o costs.json");
  }
  TemporaryFolder folder_;
};

// What its module spins for: no product takes less than its work at 50 GFLOP/s.
TEST_F(GpuLoop, CalibratesFromWhatTheGpuDid) {
  const ProgramRun made = calibrated();
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const CostTable table = required(read_cost_table(folder_.path() / "costs.json"));
  EXPECT_TRUE(table.name.starts_with("fake device, driver none")) << table.name;
  EXPECT_EQ(table.gpu, "H200-SXM-141GB");
  EXPECT_EQ(table.sms, 1);
  EXPECT_FALSE(table.processors);
  EXPECT_GT(table.launch.eager, Seconds{});
  EXPECT_GT(table.launch.gap, Seconds{});
  EXPECT_GT(table.launch.step, Seconds{});
  EXPECT_GT(table.copy.host_to_device, Bandwidth{});
  EXPECT_GT(table.copy.pageable_to_device, Bandwidth{});
  EXPECT_GT(table.memory_bandwidth, Bandwidth{});
  EXPECT_GE(table.whole_steps.residuals.samples, 2);  // a probe of each form: fused and not
  int products = 0;
  for (const OperatorCurve& curve : table.curves)
    for (const MeasuredOperator& point : curve.points) {
      if (family_of(point.work).form != OperatorForm::gemm) continue;
      ++products;
      EXPECT_GE(point.time.value, std::min(1e-3, natural_work(point.work) / 50e9));
    }
  EXPECT_GT(products, 8);
}

TEST_F(GpuLoop, PredictsAndRunsPlansOfOneGpu) {
  ASSERT_EQ(calibrated().exit_code, 0);
  const ProgramRun looped =
      run("loop --device gpu --topology h200-1 --model model.json --costs costs.json --keep-costs "
          "--length 64 --sequences 4 --steps 3 --busy --json --within 6");
  ASSERT_EQ(looped.exit_code, 0) << looped.err;
  const auto json = nlohmann::json::parse(looped.out);
  ASSERT_GE(json["plans"].size(), 1u);
  for (const auto& row : json["plans"]) {
    EXPECT_GT(row["predicted_s"].get<double>(), 0) << row;
    EXPECT_GT(row["measured_s"].get<double>(), 0) << row;
    EXPECT_EQ(row["recorded_by"], "fake recorder") << row;
    EXPECT_GT(row["memory_bytes"].get<double>(), 0) << row;
    EXPECT_GT(row["predicted_memory_bytes"].get<double>(), 0) << row;
    EXPECT_TRUE(row.contains("interval_s")) << row;
  }
}

}  // namespace
}  // namespace quintet::test
