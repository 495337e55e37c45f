#include "engine/train/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sim/parallelism/memory.h"
#include "sim/program/groups.h"

namespace quintet::engine {

namespace {

std::string gibibytes(double bytes) {
  constexpr double gibibyte = 1024.0 * 1024 * 1024;
  char text[64];
  std::snprintf(text, sizeof text, "%.3g GiB", bytes / gibibyte);
  return text;
}

}  // namespace

std::size_t predicted_memory(const TrainingInputs& inputs, Rank rank) {
  const int stage = inputs.program.roles[role_of(inputs.program.grid, rank).index()].stage;
  CompileOptions options = inputs.compile;
  options.fusion.cross_entropy = true;  // the loss's gradient is written over the logits
  const StageMemory memory =
      stage_memory(inputs.model, inputs.plan, options)[static_cast<std::size_t>(stage)];
  const Bytes all = memory.weights + memory.gradients + memory.optimizer + memory.activations +
                    memory.logits + memory.communication + memory.working;
  return static_cast<std::size_t>(std::ceil(all.value));
}

ArenaSize arena_size(std::size_t predicted, const kernels::Device& device, int ranks_per_device) {
  constexpr double usable = 0.95;  // libraries and contexts want some
  constexpr std::size_t least_more = std::size_t{1} << 20;
  const std::size_t whole = device.properties().memory_bytes;
  const double share = usable * static_cast<double>(whole) / ranks_per_device;
  const double here = usable * static_cast<double>(device.free_memory());
  ArenaSize size;
  size.first = std::min(predicted, static_cast<std::size_t>(std::min(share, here)));
  size.more = std::clamp(predicted / 8, least_more, size.more);
  return size;
}

std::string memory_text(const std::vector<RankFigures>& figures) {
  const auto fullest = std::max_element(
      figures.begin(), figures.end(),
      [](const RankFigures& left, const RankFigures& right) { return left.memory < right.memory; });
  if (fullest == figures.end() || fullest->memory <= 0) return "";
  char difference[32];
  std::snprintf(difference, sizeof difference, "%+.1f %%",
                (fullest->predicted_memory / fullest->memory - 1) * 100);
  return fmt::format("Memory of the GPU: at most {}, on rank {}; predicted {} ({}).",
                     gibibytes(fullest->memory), fullest - figures.begin(),
                     gibibytes(fullest->predicted_memory), difference);
}

}  // namespace quintet::engine
