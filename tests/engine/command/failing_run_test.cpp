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
  EXPECT_EQ(lines_of(run.err),
            (std::vector<std::string>{
                "quintet: rank 0 failed: /dev/full: cannot be written to any more. There is no "
                "checkpoint to go on from: --checkpoint FOLDER --checkpoint-every "
                "STEPS writes them",
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
  EXPECT_EQ(
      run.err,
      "quintet: rank 0: /dev/full: cannot be written to any more. There is no checkpoint to go "
      "on from: --checkpoint FOLDER --checkpoint-every STEPS writes them\n");
}

std::string last_line(const std::string& text) {
  std::istringstream in(text);
  std::string last;
  for (std::string line; std::getline(in, line);) last = line;
  return last;
}

// Runs a job that would go on for long, and sends rank 1 a signal when there is a checkpoint.
ProgramRun signalled_run(const TemporaryFolder& folder, const std::string& signal) {
  write_small_model(folder.path());
  std::ofstream(folder.path() / "plan.json")
      << R"({"parallelism": {"sequence_length": 16, "compute_type": "fp32", "data": 2}})";
  return run_shell(
      "quintet run plan.json --model model.json --data text.txt --steps 1000000 --checkpoint 'my "
      "kept' "
      "--checkpoint-every 5 & job=$!; "
      "until ls 'my kept'/step-*/manifest.json; do sleep 0.05; done >/dev/null 2>&1; "
      "for rank in $(pgrep -P $job); do tr '\\0' '\\n' </proc/$rank/environ | grep -qx "
      "QUINTET_RANK=1 "
      "&& kill -" +
          signal + " $rank; done; wait $job",
      folder.path());
}

TEST(FailingRun, SaysThatARankWasKilledAndHowToGoOn) {
  const TemporaryFolder folder;
  const ProgramRun run = signalled_run(folder, "KILL");
  EXPECT_EQ(run.exit_code, 1);
  const std::string said = last_line(run.err);
  EXPECT_TRUE(
      said.starts_with("quintet: rank 1 was killed by signal 9 (Killed). Go on after step "))
      << run.err;
  const std::string command =
      "with: quintet run plan.json --model model.json --data text.txt --steps 1000000 --checkpoint "
      "'my kept' --checkpoint-every 5 --resume";
  EXPECT_TRUE(said.ends_with(command)) << run.err;
}

// Others hear nothing of it for five seconds, and then its process is found stopped.
TEST(FailingRun, SaysThatARankWasStopped) {
  const TemporaryFolder folder;
  const ProgramRun run = signalled_run(folder, "STOP");
  EXPECT_EQ(run.exit_code, 1);
  const std::string said = last_line(run.err);
  EXPECT_TRUE(said.starts_with("quintet: rank 1 did not answer: its process ")) << run.err;
  EXPECT_NE(said.find("was stopped (by SIGSTOP"), std::string::npos) << run.err;
  EXPECT_NE(said.find("--resume"), std::string::npos) << run.err;
}

// A layer of this model has 12 x 1600^2 parameters of 4 bytes: 123 MB, and 48 of them do not go
// into 1.5 GB of addresses. Nothing is written there before they are all had.
TEST(FailingRun, SaysWhatThereWasNoMemoryFor) {
  if (sanitized) GTEST_SKIP() << "a sanitizer needs more addresses than this limit leaves";
  const TemporaryFolder folder;
  write_small_model(folder.path());
  std::ofstream(folder.path() / "model.json")
      << R"({"model_type": "gpt2", "n_layer": 48, "n_embd": 1600, "n_head": 25, "n_positions": 16,
             "vocab_size": 256, "resid_pdrop": 0, "attn_pdrop": 0, "embd_pdrop": 0})";
  std::ofstream(folder.path() / "plan.json")
      << R"({"parallelism": {"sequence_length": 16, "compute_type": "fp32"}})";
  const ProgramRun run = run_shell(
      "ulimit -v 1500000; quintet run plan.json --model model.json --data text.txt --one-process "
      "--memory-check off",
      folder.path());
  EXPECT_EQ(run.exit_code, 1) << run.err;
  for (const char* const part :
       {"rank 0: out of memory: there is none left for weights, gradients and the optimizer's "
        "moments",
        "Less is needed with parallelism.recompute", "There is no checkpoint to go on from"})
    EXPECT_NE(run.err.find(part), std::string::npos) << part << " is not in: " << run.err;
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
