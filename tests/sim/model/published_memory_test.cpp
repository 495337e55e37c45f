// Against figures 1 and 7 of Korthikanti et al., arXiv 2205.05198, read off by others.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "sim/model/activations.h"
#include "sim/model/parameters.h"
#include "sim/model/state_bytes.h"
#include "tests/support/known_models.h"

namespace quintet {
namespace {

const std::filesystem::path table_file =
    std::filesystem::path(QUINTET_SOURCE_DIR) / "../shared/validation/memory_published.csv";

using Row = std::map<std::string, std::string>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

std::vector<Row> rows_about(const std::string& source) {
  std::ifstream file(table_file);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = cells_of(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = cells_of(line);
    Row row;
    for (std::size_t i = 0; i < names.size() && i < cells.size(); ++i) row[names[i]] = cells[i];
    if (row["source"].find(source) != std::string::npos) rows.push_back(row);
  }
  return rows;
}

Model model_of(const Row& row) {
  return megatron_gpt(std::stoi(row.at("layers")), std::stoi(row.at("hidden")),
                      std::stoi(row.at("heads")));
}

LayerWork work_of(const Row& row) {
  LayerWork work;
  work.sequences = std::stoi(row.at("mbs"));
  work.sequence_length = std::stoi(row.at("seq"));
  work.type = DataType::fp16;
  work.attention = AttentionKernel::unfused;
  work.split = {.tensor = std::stoi(row.at("tp")),
                .sequence_parallel = row.at("seq_parallel") == "true"};
  return work;
}

RecomputedPart part_of(const Row& row) {
  const std::string& recompute = row.at("recompute");
  if (recompute == "none") return RecomputedPart::nothing;
  return recompute == "full" ? RecomputedPart::whole_layer : RecomputedPart::attention_core;
}

// Micro-batches in flight on the first stage times its layers, in layers of the whole model:
// 1 + (p - 1) / (p v) with the paper's v = 3 for 175B and 530B, 1 otherwise (its table 3).
double layers_in_flight(const Row& row) {
  const double stages = std::stod(row.at("pp"));
  const bool interleaved = row.at("model") == "gpt3-175B" || row.at("model") == "turing-530B";
  const double factor = interleaved ? 1 + (stages - 1) / (3 * stages) : 1;
  return factor * std::stod(row.at("layers"));
}

double gibibytes(Bytes size) {
  return size / Bytes{1073741824.0};
}

double layers_gibibytes(const Row& row) {
  return gibibytes(layers_in_flight(row) * kept_bytes(model_of(row), work_of(row), part_of(row)));
}

// Layers only: the figure leaves out the embedding. 18 bytes: fp32 gradients.
double state_gibibytes(const Row& row) {
  const ParameterSplit split{.tensor = std::stoi(row.at("tp"))};
  const StagePart part{.layers = std::stoi(row.at("layers")) / std::stoi(row.at("pp"))};
  const double parameters = static_cast<double>(stage_parameters(model_of(row), split, part));
  return gibibytes(parameters * state_bytes_per_parameter({}, {}).total());
}

double percent_of_baseline(const Row& row) {
  LayerWork baseline = work_of(row);
  baseline.split.sequence_parallel = false;
  const Model model = model_of(row);
  return 100 * (kept_bytes(model, work_of(row), part_of(row)) /
                kept_bytes(model, baseline, RecomputedPart::nothing));
}

double predicted(const Row& row) {
  if (row.at("unit") == "%") return percent_of_baseline(row);
  return row.at("item").starts_with("activations") ? layers_gibibytes(row) : state_gibibytes(row);
}

// The paper's own numbers are analytic, read off its figures: formulas agree to 0.1 %, pixels of
// figure 7 to 1.5 %.
TEST(PublishedMemory, KorthikantisFiguresAreReproduced) {
  if (!std::filesystem::exists(table_file))
    GTEST_SKIP() << "NOT CHECKED: published memory rows are absent: " << table_file;
  const std::vector<Row> rows = rows_about("2205.05198");
  ASSERT_GE(rows.size(), 10u);
  for (const Row& row : rows) {
    const double value = std::stod(row.at("value")), error = predicted(row) / value - 1;
    std::cout << row.at("id") << ' ' << row.at("model") << ' ' << row.at("item") << ": published "
              << value << ", predicted " << predicted(row) << ' ' << row.at("unit") << " ("
              << 100 * error << " %)\n";
    EXPECT_LT(std::abs(error), row.at("unit") == "%" ? 0.015 : 0.001) << row.at("id");
  }
}

}  // namespace
}  // namespace quintet
