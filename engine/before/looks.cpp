#include "engine/before/looks.h"

#include <fmt/format.h>

#include "engine/before/needed_memory.h"
#include "engine/before/output_paths.h"
#include "engine/before/step_estimate.h"
#include "engine/executor/less_memory.h"
#include "engine/train/memory_plan.h"
#include "sim/base/output_place.h"
#include "sim/base/quantity_text.h"

namespace quintet::engine {

namespace {

std::string remedy(const std::string& less) {
  return "less is needed with " + less + "; --memory-check off begins all the same";
}

std::string rounded(Seconds time) {
  const double value = time.value;
  if (value < 1) return fmt::format("{:.3g} ms", value * 1e3);
  if (value < 120) return fmt::format("{:.3g} s", value);
  return value < 7200 ? fmt::format("{:.0f} min", value / 60)
                      : fmt::format("{:.1f} h", value / 3600);
}

std::vector<std::string> estimate_lines(const TrainingInputs& inputs,
                                        const TrainingOptions& training, const LookOptions& options,
                                        const MachineLimits& free) {
  if (options.estimate == Estimate::left_out) return {};
  const Result<StepEstimate> found = estimated_step(inputs, training, options.costs, free.cores());
  if (!found)
    return {"Estimated step: not known: " + found.error().text() +
            ". --costs takes a table that quintet calibrate made here."};
  std::vector<std::string> lines{
      fmt::format("Estimated step: {} ({} to {}), {} for {} steps; {}.", rounded(found->step),
                  rounded(found->low), rounded(found->high),
                  rounded(found->step * double(training.steps)), training.steps, found->basis)};
  if (training.shaped == TrainingOptions::Shaped::yes && found->slowest)
    lines.push_back(fmt::format(
        "Slowest shaped link: {} to {} at {}, {} for the {} that a step of the plan puts on it.",
        found->slowest->from, found->slowest->to, text(found->slowest->rate),
        rounded(found->slowest->time()), text(found->slowest->bytes)));
  return lines;
}

}  // namespace

Result<std::string> memory_line(const TrainingInputs& inputs, const TrainingOptions& training,
                                const LookOptions& options, const MachineLimits& free) {
  const MemoryNeed need = needed_memory(inputs, training);
  const Bytes all = need.of_ranks(options.ranks_here), there{free.free_memory};
  const RankNeed& most = need.stages[static_cast<std::size_t>(need.fullest)];
  const int in_a_process = training.ranks == RankKind::threads ? options.ranks_here : 1;
  const Bytes of_process = training.ranks == RankKind::threads ? all : need.of_rank();
  if (options.memory == MemoryCheck::on && free.address_space &&
      of_process.value > *free.address_space)
    return Error{
        "memory",
        fmt::format("a process of {} needs {} ({}), and may have {} (RLIMIT_AS, ulimit -v); "
                    "{}",
                    in_a_process == 1 ? "one rank" : "all ranks", binary_text(of_process),
                    in_words(most), binary_text(Bytes{*free.address_space}),
                    remedy(less_on_cores(inputs.plan.parallelism)))};
  if (options.memory == MemoryCheck::on && all > there)
    return Error{
        "memory",
        fmt::format("{} ranks here need {} (one of stage {}: {}), and {} are free by {}; {}",
                    options.ranks_here, binary_text(all), need.fullest, in_words(most),
                    binary_text(there), free.memory_by,
                    remedy(less_on_cores(inputs.plan.parallelism)))};
  return fmt::format(
      "Memory: {} for {} here, at most {} a rank ({}); {} are free by {}.{}", binary_text(all),
      options.ranks_here == 1 ? "1 rank" : fmt::format("{} ranks", options.ranks_here),
      binary_text(need.of_rank()), in_words(most), binary_text(there), free.memory_by,
      options.ranks_note);
}

Result<std::string> gpu_memory_line(const TrainingInputs& inputs, const LookOptions& options,
                                    const std::vector<double>& free) {
  std::vector<double> needed(free.size());
  for (int rank = 0; rank < options.ranks_here; ++rank)
    needed[static_cast<std::size_t>(rank) % free.size()] +=
        static_cast<double>(predicted_memory(inputs, Rank{rank}));
  for (std::size_t gpu = 0; gpu < free.size(); ++gpu)
    if (options.memory == MemoryCheck::on && needed[gpu] > free[gpu])
      return Error{
          fmt::format("memory of GPU {}", gpu),
          fmt::format("its ranks need {}, and {} are free; {}", binary_text(Bytes{needed[gpu]}),
                      binary_text(Bytes{free[gpu]}), remedy(less_memory(inputs.plan.parallelism)))};
  std::string line = "Memory:";
  for (std::size_t gpu = 0; gpu < free.size(); ++gpu)
    line += fmt::format("{} {} of {} free on GPU {}", gpu == 0 ? "" : ",",
                        binary_text(Bytes{needed[gpu]}), binary_text(Bytes{free[gpu]}), gpu);
  return line + ".";
}

std::string cores_line(const TrainingOptions& training, int ranks_here, const MachineLimits& free) {
  const int threads = ranks_here * training.threads;
  std::string line =
      fmt::format("Cores: {} {} x {} {} on {:g}", ranks_here, ranks_here == 1 ? "rank" : "ranks",
                  training.threads, training.threads == 1 ? "thread" : "threads", free.cores());
  if (free.quota && *free.quota < free.usable_cores)
    line += fmt::format(" (of {} usable ones, by the quota of a control group)", free.usable_cores);
  return line + (threads > free.cores() ? "; they take turns." : ".");
}

std::optional<Error> unwritable_outputs(const TrainingInputs& inputs,
                                        const TrainingOptions& training) {
  const Bytes checkpoint = checkpoint_size(inputs.model), weights = weights_size(inputs);
  std::vector<Output> outputs;
  const auto add = [&](const char* option, const std::filesystem::path& path, OutputKind kind,
                       Bytes size, Bytes largest) {
    if (!path.empty()) outputs.push_back({option, path, kind, size, largest});
  };
  std::vector<std::string> read{training.plan, training.model, training.topology.value_or("")};
  read.insert(read.end(), training.data.begin(), training.data.end());
  const NamedOutput log{"--log", training.log}, timeline{"--timeline", training.timeline};
  for (const NamedOutput& each : {log, timeline})
    if (auto wrong = onto_input(each.option, each.file, read)) return wrong;
  if (auto wrong = one_place({log, timeline})) return wrong;
  const double ranks = world_size(inputs.plan.parallelism);
  add("--log", training.log, OutputKind::file, {}, {});
  add("--timeline", training.timeline, OutputKind::file, {}, {});
  add("--checkpoint", training.checkpoint, OutputKind::folder, checkpoint, checkpoint / ranks);
  add("--save-weights", training.save_weights, OutputKind::folder, weights, {});
  return unwritable(outputs);
}

Result<std::vector<std::string>> look(const TrainingInputs& inputs, const TrainingOptions& training,
                                      const LookOptions& options, const MachineLimits& free,
                                      const std::vector<double>& free_of_gpus) {
  if (const auto wrong = unwritable_outputs(inputs, training)) return *wrong;
  std::vector<std::string> lines;
  if (training.processor == Processor::cpu) {
    const Result<std::string> memory = memory_line(inputs, training, options, free);
    if (!memory) return memory.error();
    lines = {*memory, cores_line(training, options.ranks_here, free)};
  }
  if (training.processor == Processor::gpu && !free_of_gpus.empty()) {
    const Result<std::string> memory = gpu_memory_line(inputs, options, free_of_gpus);
    if (!memory) return memory.error();
    lines = {*memory};
  }
  for (std::string& line : estimate_lines(inputs, training, options, free))
    lines.push_back(std::move(line));
  return lines;
}

}  // namespace quintet::engine
