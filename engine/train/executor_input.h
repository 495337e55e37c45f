// What a rank's executor is given for a run, and what is said of how it launches steps.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "engine/executor/rank_executor.h"
#include "engine/recording/step_capture.h"
#include "engine/train/gemm_peak.h"
#include "engine/train/training_inputs.h"

namespace quintet::engine {

inline RankExecutorInput executor_input(const TrainingInputs& inputs,
                                        const TrainingOptions& options, Rank rank) {
  RankExecutorInput input;
  input.model = inputs.model;
  input.plan = inputs.plan;
  input.program = inputs.program;
  input.options = inputs.compile;
  input.rank = rank;
  input.numerics = inputs.numerics;
  input.optimizer.rule = update_rule(inputs.plan.parallelism.optimizer);
  input.optimizer.loss_scaling = options.loss_scaling;
  input.optimizer.weight_decay = options.weight_decay;
  input.optimizer.maximum_norm = options.maximum_norm;
  input.initial = {options.seed, inputs.deviation};
  input.first_weights = FirstWeights::yet_to_be;
  input.filling_threads = std::max(1, usable_cores() / options.ranks_on_host);
  return input;
}

// Whether the plan's steps are launched as graphs, where they may be.
inline std::optional<std::string> launches_text(const TrainingInputs& inputs,
                                                const StepCapture& capture,
                                                const RankExecutor& executor) {
  const bool asked = inputs.plan.host_net.launch == Launch::graphs;
  if (!asked || !executor.on_device()) return std::nullopt;
  if (capture.by_events())
    return "Steps are launched kernel by kernel, not as graphs: events in between take their "
           "times.";
  if (executor.uncaptured())
    return "Steps are launched kernel by kernel, not as graphs: " + *executor.uncaptured() + ".";
  // A graph has its step's number of targets in it (StepKind).
  if (inputs.model.family == ModelFamily::bert)
    return "Of steps, those are launched as graphs that mask as many words as one that was kept; "
           "the "
           "others kernel by kernel.";
  return "Steps are launched as graphs from the fourth on.";
}

// All but the memory.
inline DeviceOptions device_options(const TrainingInputs& inputs, const TrainingOptions& options,
                                    const StepCapture& capture) {
  DeviceOptions device;
  device.times = capture.by_events();
  device.recorder = capture.recorder();
  device.graphs = inputs.plan.host_net.launch == Launch::graphs;
  device.within = std::chrono::milliseconds(static_cast<std::int64_t>(options.deadline * 1e3));
  return device;
}

inline OpenRecorder recorder_of(const OpenRecorder& own) {
  if (own) return own;
  return [] {
    return kernels::OpenedRecorder{
        nullptr, "what a process does is recorded as a whole, and its threads are ranks here"};
  };
}

}  // namespace quintet::engine
