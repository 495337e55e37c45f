// Steps published by others, predicted with the shipped cost tables. Rows lie outside the
// repository.

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "sim/simulate/predict.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char letter : line) {
    if (letter == '"')
      quoted = !quoted;
    else if (letter == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += letter;
  }
  return fields;
}

std::vector<Row> rows_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<Row> rows;
  std::string line;
  if (!std::getline(file, line)) return rows;
  const std::vector<std::string> names = csv_fields(line);
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = csv_fields(line);
    Row& row = rows.emplace_back();
    for (std::size_t index = 0; index < std::min(names.size(), fields.size()); ++index)
      row[names[index]] = fields[index];
  }
  return rows;
}

Model gpt(const Row& row) {
  Model model = test::shipped_model("gpt-3-175b");
  model.layers = std::stoi(row.at("layers"));
  model.hidden = std::stoi(row.at("hidden"));
  model.heads = model.kv_heads = std::stoi(row.at("heads"));
  model.head_dim = model.hidden / model.heads;
  model.feed_forward = std::stoi(row.at("ffn"));
  model.vocabulary = std::stoi(row.at("vocab"));
  return model;
}

// The layout of a row of arXiv 2205.05198 table 5; what the table does not say is in the shipped
// plan.
Plan layout(const Row& row) {
  Plan plan = test::shipped_plan("korthikanti-gpt-175b");
  Parallelism& parallelism = plan.parallelism;
  parallelism.pipeline = std::stoi(row.at("pp"));
  parallelism.virtual_stages = std::stoi(row.at("vpp"));
  parallelism.schedule = parallelism.virtual_stages > 1 ? PipelineSchedule::interleaved
                                                        : PipelineSchedule::one_f_one_b;
  parallelism.micro_batch = std::stoi(row.at("mbs"));
  parallelism.micro_batches = std::stoi(row.at("gbs")) / parallelism.micro_batch;
  const bool full = row.at("recompute") == "full";
  parallelism.recompute = full ? Recompute::full : Recompute::selective;
  parallelism.sequence_parallel = row.at("seq_parallel") == "true";
  return plan;
}

// All rows of the table that are here: at most 8 % off on average at this stage, none fitted to.
TEST(Published, KorthikantiTable5IsPredictedWithinEightPercentOnAverage) {
  const std::string path = test::source("../shared/validation/e2e_misc_published.csv");
  const std::vector<Row> rows = rows_of(path);
  if (rows.empty()) GTEST_SKIP() << "PUBLISHED ROWS ARE NOT HERE: " << path;
  const CostTable costs = test::shipped_costs("a100-sxm-80gb");
  double sum = 0;
  int count = 0;
  for (const Row& row : rows) {
    if (row.at("source").rfind("arXiv 2205.05198 Table 5", 0) != 0) continue;
    const int gpus = std::stoi(row.at("gpus"));
    const Prediction prediction = test::required(
        predict(gpt(row), layout(row), test::shipped_topology("selene-a100", gpus / 8), costs));
    const double measured = std::stod(row.at("step_time_s"));
    const double error = seconds(prediction.timeline.end).value / measured - 1.0;
    std::printf("%s on %d GPUs, recompute %s: %.2f s, published %.2f s, %+.1f %%\n",
                row.at("model").c_str(), gpus, row.at("recompute").c_str(),
                seconds(prediction.timeline.end).value, measured, 100 * error);
    sum += std::abs(error);
    ++count;
  }
  ASSERT_GE(count, 5);
  EXPECT_LE(sum / count, 0.08);
}

}  // namespace
}  // namespace quintet
