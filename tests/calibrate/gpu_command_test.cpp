// quintet calibrate and quintet loop with --device gpu as they are typed where there is no GPU, and
// where the words do not go together.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace quintet::test {
namespace {

// No GPU, whatever the machine has.
constexpr const char* without_gpu = "QUINTET_CUDA_MODULE=/nowhere/module.so ";

class GpuCommand : public testing::Test {
 protected:
  ProgramRun run(const std::string& words) const {
    return run_shell(without_gpu + ("quintet " + words), folder_.path());
  }
  bool made(const std::string& file) const {
    return std::filesystem::exists(folder_.path() / file);
  }
  TemporaryFolder folder_;
};

TEST_F(GpuCommand, WithoutAGpuEndsAsARunWouldAndRunsNothing) {
  const ProgramRun asked =
      run("run tiny-gpt-one --model tiny-gpt --data the-valley --device gpu --steps 1");
  EXPECT_TRUE(asked.err.starts_with("quintet: --device gpu: ")) << asked.err;
  const ProgramRun calibrated = run("calibrate --device gpu --topology h200-1 -o costs.json");
  EXPECT_EQ(calibrated.exit_code, 1);
  EXPECT_EQ(calibrated.err, asked.err);
  const ProgramRun looped =
      run("loop --device gpu --topology h200-1 --model tiny-gpt --costs costs.json --out loop");
  EXPECT_EQ(looped.exit_code, 1);
  EXPECT_EQ(looped.err, asked.err);
  for (const char* const file : {"costs.json", "costs.json.journal", "costs.json.probes", "loop"})
    EXPECT_FALSE(made(file)) << file;
}

TEST_F(GpuCommand, RefusesAMachineWhoseRanksAreOthers) {
  const ProgramRun cores = run("calibrate --device gpu --topology box-4-1gbit -o costs.json");
  EXPECT_EQ(cores.exit_code, 2);
  EXPECT_NE(cores.err.find("which is no GPU; with --device gpu a machine is accepted"),
            std::string::npos)
      << cores.err;
  const ProgramRun gpus = run("calibrate --topology h200-1 -o costs.json");
  EXPECT_EQ(gpus.exit_code, 2);
  EXPECT_NE(gpus.err.find("which is no processor core; with --device cpu a machine is accepted"),
            std::string::npos)
      << gpus.err;
}

TEST_F(GpuCommand, PlansOnGpusNeedTheirTimelines) {
  std::ofstream(folder_.path() / "plan.json") << R"({"parallelism": {"sequence_length": 64}})";
  const ProgramRun plan = run(
      "calibrate --device gpu --topology h200-1 --model tiny-gpt --plan plan.json -o costs.json");
  EXPECT_EQ(plan.exit_code, 2);
  EXPECT_NE(plan.err.find("--plan: on GPUs needs the --measured timeline"), std::string::npos)
      << plan.err;
}

TEST_F(GpuCommand, RefusesOtherDevices) {
  const ProgramRun other = run("calibrate --device tpu --topology h200-1 -o costs.json");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.err.find("--device"), std::string::npos) << other.err;
}

}  // namespace
}  // namespace quintet::test
