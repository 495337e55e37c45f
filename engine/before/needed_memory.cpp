#include "engine/before/needed_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "sim/model/parameters.h"
#include "sim/parallelism/memory.h"

namespace quintet::engine {

namespace {

namespace fs = std::filesystem;

constexpr double bytes_of_state = 12;  // of a parameter: itself and two moments, in fp32

// Texts are encoded as a whole, at most a token a byte, 4 bytes each; shards (.bin) are mapped.
Bytes tokens_of_texts(const TrainingOptions& options) {
  std::vector<fs::path> files = options.data;
  if (options.validation.share > 0)  // read once more
    files.insert(files.end(), options.data.begin(), options.data.end());
  if (!options.validation.data.empty()) files.push_back(options.validation.data);
  double bytes = 0;
  for (const fs::path& file : files) {
    std::error_code error;
    if (!fs::is_regular_file(file, error) || file.extension() == ".bin") continue;
    bytes += 4 * static_cast<double>(fs::file_size(file, error));
  }
  return Bytes{bytes};
}

Bytes batches_of(const Parallelism& parallelism) {
  constexpr double kinds = 4;  // tokens, targets, positions, types
  return Bytes{kinds * 4 * parallelism.micro_batches * parallelism.micro_batch *
               parallelism.sequence_length};
}

RankNeed need_of(const StageMemory& stage, const TrainingInputs& inputs,
                 const TrainingOptions& options) {
  const Parallelism& parallelism = inputs.plan.parallelism;
  RankNeed need;
  need.weights = stage.weights;
  need.gradients = stage.gradients;
  need.optimizer = stage.optimizer;
  need.activations = stage.activations + stage.logits + stage.communication + stage.working;
  need.offloaded = stage.host;
  need.batches = batches_of(parallelism) + tokens_of_texts(options);
  if (!options.checkpoint.empty())
    need.copies = checkpoint_size(inputs.model) / static_cast<double>(world_size(parallelism));
  need.program = rank_overhead;
  return need;
}

}  // namespace

Bytes RankNeed::total() const {
  return weights + gradients + optimizer + activations + offloaded + batches + copies + program;
}

Bytes MemoryNeed::of_ranks(int ranks) const {
  Bytes all;
  const int stages_here = std::min<int>(ranks, static_cast<int>(stages.size()));
  for (const RankNeed& stage : stages) all = all + stage.total();
  if (stages_here < static_cast<int>(stages.size())) return of_rank() * double(ranks);
  return all * (double(ranks) / double(stages.size()));
}

MemoryNeed needed_memory(const TrainingInputs& inputs, const TrainingOptions& options) {
  CompileOptions compile = inputs.compile;
  compile.fusion.cross_entropy = true;  // the loss's gradient is written over the logits
  MemoryNeed need;
  for (const StageMemory& stage : stage_memory(inputs.model, inputs.plan, compile))
    need.stages.push_back(need_of(stage, inputs, options));
  const auto most = std::max_element(
      need.stages.begin(), need.stages.end(),
      [](const RankNeed& left, const RankNeed& right) { return left.total() < right.total(); });
  need.fullest = static_cast<int>(most - need.stages.begin());
  return need;
}

Bytes checkpoint_size(const Model& model) {
  return Bytes{bytes_of_state * static_cast<double>(total_parameters(model))};
}

Bytes weights_size(const TrainingInputs& inputs) {
  return size_of(inputs.plan.parallelism.compute_type) *
         static_cast<double>(total_parameters(inputs.model));
}

std::string binary_text(Bytes size) {
  constexpr double mebibyte = 1024.0 * 1024, gibibyte = 1024 * mebibyte;
  return size.value < gibibyte ? fmt::format("{:.1f} MiB", size.value / mebibyte)
                               : fmt::format("{:.2f} GiB", size.value / gibibyte);
}

std::string in_words(const RankNeed& need) {
  const std::array<std::pair<const char*, Bytes>, 8> kinds{{{"weights", need.weights},
                                                            {"gradients", need.gradients},
                                                            {"optimizer", need.optimizer},
                                                            {"activations", need.activations},
                                                            {"offloaded", need.offloaded},
                                                            {"data", need.batches},
                                                            {"copies for checkpoints", need.copies},
                                                            {"the program itself", need.program}}};
  std::string text;
  for (const auto& [name, size] : kinds)
    if (size.value > need.total().value / 100)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, binary_text(size));
  return text;
}

}  // namespace quintet::engine
