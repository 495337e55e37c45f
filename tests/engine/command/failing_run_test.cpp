// What a user reads when a run fails after it has begun.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/support/temporary_folder.h"
#include "tests/support/training_run.h"

namespace quintet::test {
namespace {

// Sorted: ranks speak in any order.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Rank 0 writes the log, and /dev/full takes nothing.
TEST(FailingRun, NamesEveryRankOnceAndSaysWhoFailed) {
  const TemporaryFolder folder;
  write_small_model(folder.path());
  std::ofstream(folder.path() / "plan.json")
      << R"({"parallelism": {"sequence_length": 16, "compute_type": "fp32", "data": 2}})";
  const ProgramRun run = run_quintet(
      {"run", "plan.json", "--model", "model.json", "--data", "text.txt", "--log", "/dev/full"},
      folder.path());
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(
      lines_of(run.err),
      (std::vector<std::string>{"quintet: rank 0 failed, and says why above",
                                "rank 0: /dev/full: cannot be written to any more",
                                "rank 1: lost rank 0: /dev/full: cannot be written to any more"}));
}

// The threads of one process: one line, of the rank that failed.
TEST(FailingRun, OfOneProcessNamesTheRank) {
  const TemporaryFolder folder;
  write_small_model(folder.path());
  std::ofstream(folder.path() / "plan.json")
      << R"({"parallelism": {"sequence_length": 16, "compute_type": "fp32", "data": 2}})";
  const ProgramRun run = run_quintet({"run", "plan.json", "--model", "model.json", "--data",
                                      "text.txt", "--one-process", "--log", "/dev/full"},
                                     folder.path());
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err, "quintet: rank 0: /dev/full: cannot be written to any more\n");
}

// Before anything else is read, and whatever the machine has: no module, no GPU.
TEST(RunWithoutGpu, SaysWhyInOneLine) {
  const TemporaryFolder folder;
  write_small_model(folder.path());
  std::ofstream(folder.path() / "plan.json")
      << R"({"parallelism": {"sequence_length": 16, "compute_type": "fp32", "data": 2}})";
  for (const char* const how : {"", " --one-process", " --carry host"}) {
    const ProgramRun run = run_shell(
        "QUINTET_CUDA_MODULE=/nowhere/module.so quintet run plan.json --model model.json --data "
        "text.txt --device gpu" +
            std::string(how),
        folder.path());
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err,
              "quintet: --device gpu: this build has no GPU module: there is no "
              "/nowhere/module.so (it is built where CMake finds CUDA 13)\n");
  }
}

}  // namespace
}  // namespace quintet::test
