// A run of a model that trains in no time, from files as a user's.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/train/training.h"
#include "engine/train/training_inputs.h"
#include "tests/support/temporary_folder.h"

namespace quintet::engine::test {

// What a run left in its log, and said.
struct RunRecords {
  std::vector<double> losses;
  nlohmann::json header, summary;
  std::vector<std::string> said;
  std::optional<Error> error;

  bool says(const std::string& part) const {
    for (const std::string& line : said)
      if (line.find(part) != std::string::npos) return true;
    return false;
  }
};

class SmallRun {
 public:
  // The plan's sections, as they stand in its file, without the braces.
  explicit SmallRun(const std::string& parallelism, const std::string& others = "") {
    std::ofstream(file("model.json"))
        << R"({"model_type": "gpt2", "n_layer": 4, "n_embd": 32, "n_head": 4, "n_positions": 16,
               "vocab_size": 256, "resid_pdrop": 0, "attn_pdrop": 0, "embd_pdrop": 0})";
    std::ofstream text(file("text.txt"));
    for (int line = 0; line < 200; ++line) text << "line " << line * line << " of a small text\n";
    std::ofstream(file("plan.json"))
        << R"({"parallelism": {"sequence_length": 16, "compute_type": "fp32", )" << parallelism
        << "}" << others << "}";
    options.plan = file("plan.json");
    options.model = file("model.json");
    options.data = {file("text.txt")};
    options.log = file("log.jsonl");
    options.kernels = KernelChoice::reference;
    options.deadline = 60;
  }

  std::filesystem::path file(const std::string& name) const { return folder.path() / name; }

  TrainingInputs inputs() const {
    Result<TrainingInputs> read = read_training_inputs(options);
    if (!read) throw std::runtime_error(read.error().text());
    return std::move(*read);
  }

  // Every rank's, threads included.
  TrainingHooks hooks() {
    return {[] { return false; },
            [this](const std::string& line) {
              const std::scoped_lock lock(mutex);
              said.push_back(line);
            }};
  }

  RunRecords records(const std::optional<Error>& error = {}) const {
    RunRecords records;
    records.said = said;
    records.error = error;
    std::ifstream in;
    // /dev/full reads as zeros without end.
    if (std::filesystem::is_regular_file(options.log)) in.open(options.log);
    for (std::string line; std::getline(in, line);) {
      const auto record = nlohmann::json::parse(line);
      if (record.at("record") == "step") records.losses.push_back(record.at("loss"));
      if (record.at("record") == "run") records.header = record;
      if (record.at("record") == "summary") records.summary = record;
    }
    return records;
  }

  TemporaryFolder folder;
  TrainingOptions options;
  std::mutex mutex;
  std::vector<std::string> said;
};

inline void expect_equal_losses(const RunRecords& one, const RunRecords& other) {
  ASSERT_FALSE(one.error) << one.error->text();
  ASSERT_FALSE(other.error) << other.error->text();
  ASSERT_FALSE(one.losses.empty());
  ASSERT_EQ(one.losses.size(), other.losses.size());
  for (std::size_t step = 0; step < one.losses.size(); ++step)
    EXPECT_NEAR(one.losses[step], other.losses[step], 1e-5 * one.losses[step]) << step;
}

}  // namespace quintet::engine::test
