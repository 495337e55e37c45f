// Runs `quintet run` for real, and reads what it logged.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/run_program.h"

namespace quintet::test {

struct TrainingRun {
  ProgramRun program;
  std::vector<double> losses;  // by step
  std::vector<int> steps;
};

// `plan`: the parallelism section, as JSON, without its sequence length and types; "" : a shipped
// plan is in the options.
TrainingRun train(const std::string& parallelism, const std::vector<std::string>& options,
                  const std::filesystem::path& folder);

TrainingRun read_log(const std::filesystem::path& file);

// A GPT of 4 layers that takes milliseconds, its text, into the folder: model.json, text.txt.
void write_small_model(const std::filesystem::path& folder);

void expect_equal_losses(const TrainingRun& one, const TrainingRun& other);

}  // namespace quintet::test
