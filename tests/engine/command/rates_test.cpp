// How the learning rate and the loss scale go, as the log tells.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"
#include "tests/support/training_run.h"

namespace quintet::test {
namespace {

constexpr const char* replicas = R"("data": 2, "micro_batches": 2)";

template <class Value>
std::vector<Value> logged(const std::filesystem::path& folder, const char* field) {
  std::vector<Value> values;
  std::ifstream log(folder / "log.jsonl");
  for (std::string line; std::getline(log, line);)
    if (const auto record = nlohmann::json::parse(line); record.at("record") == "step")
      values.push_back(record.at(field));
  return values;
}

// Two steps up to 1e-3, then half a cosine to a fifth of it at step 6: half way, 0.6 of it.
TEST(LearningRateOfARun, RisesAndFalls) {
  const TemporaryFolder folder;
  write_small_model(folder.path());
  const TrainingRun run =
      train(replicas, {"--steps", "7", "--warm-up", "2", "--decay", "6", "--lowest-rate", "0.2"},
            folder.path());
  ASSERT_EQ(run.program.exit_code, 0) << run.program.err;
  const auto rates = logged<double>(folder.path(), "learning_rate");
  ASSERT_EQ(rates.size(), 7u);
  for (const auto& [step, rate] :
       {std::pair{1, 0.5e-3}, {2, 1e-3}, {4, 0.6e-3}, {6, 0.2e-3}, {7, 0.2e-3}})
    EXPECT_NEAR(rates[static_cast<std::size_t>(step) - 1], rate, 1e-12) << step;
}

// A power of two changes no digit; doubled after two steps without overflow.
TEST(LossScaleOfARun, GrowsAndChangesNoDigit) {
  const TemporaryFolder folder;
  write_small_model(folder.path());
  const TrainingRun plain = train(replicas, {"--steps", "5"}, folder.path());
  EXPECT_EQ(logged<double>(folder.path(), "loss_scale"), std::vector<double>(5, 1));
  const TrainingRun scaled =
      train(replicas, {"--steps", "5", "--loss-scale", "1024", "--loss-scale-interval", "2"},
            folder.path());
  ASSERT_EQ(scaled.program.exit_code, 0) << scaled.program.err;
  EXPECT_EQ(logged<double>(folder.path(), "loss_scale"),
            (std::vector<double>{1024, 1024, 2048, 2048, 4096}));
  EXPECT_EQ(logged<bool>(folder.path(), "updated"), std::vector<bool>(5, true));
  EXPECT_EQ(scaled.losses, plain.losses);
  EXPECT_NE(scaled.program.out.find("scale 1024"), std::string::npos) << scaled.program.out;
}

}  // namespace
}  // namespace quintet::test
