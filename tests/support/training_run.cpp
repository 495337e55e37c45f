#include "tests/support/training_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace quintet::test {

namespace fs = std::filesystem;

void write_small_model(const fs::path& folder) {
  std::ofstream(folder / "model.json")
      << R"({"model_type": "gpt2", "n_layer": 4, "n_embd": 32, "n_head": 4, "n_positions": 16,
             "vocab_size": 256, "resid_pdrop": 0, "attn_pdrop": 0, "embd_pdrop": 0})";
  std::ofstream text(folder / "text.txt");
  for (int line = 0; line < 200; ++line) text << "line " << line * line << " of a small text\n";
}

TrainingRun read_log(const fs::path& file) {
  TrainingRun run;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto record = nlohmann::json::parse(line);
    if (record.at("record") != "step") continue;
    run.steps.push_back(record.at("step"));
    run.losses.push_back(record.at("loss"));
  }
  return run;
}

TrainingRun train(const std::string& parallelism, const std::vector<std::string>& options,
                  const fs::path& folder) {
  std::ofstream(folder / "plan.json")
      << R"({"parallelism": {"sequence_length": 16, "compute_type": "fp32", )" << parallelism
      << "}}";
  std::vector<std::string> words{"run",    "plan.json", "--model", "model.json",
                                 "--data", "text.txt",  "--log",   "log.jsonl"};
  words.insert(words.end(), options.begin(), options.end());
  fs::remove(folder / "log.jsonl");
  const ProgramRun program = run_quintet(words, folder);
  TrainingRun run = read_log(folder / "log.jsonl");
  run.program = program;
  return run;
}

void expect_equal_losses(const TrainingRun& one, const TrainingRun& other) {
  ASSERT_EQ(one.program.exit_code, 0) << one.program.err;
  ASSERT_EQ(other.program.exit_code, 0) << other.program.err;
  ASSERT_FALSE(one.losses.empty());
  ASSERT_EQ(one.steps, other.steps);
  for (std::size_t step = 0; step < one.losses.size(); ++step)
    EXPECT_NEAR(one.losses[step], other.losses[step], 1e-5 * one.losses[step]) << step;
}

}  // namespace quintet::test
