// A short training run of `quintet run`, and what it leaves in files: what was measured once need
// not be measured again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/machine/processor_choice.h"
#include "sim/base/result.h"
#include "sim/base/units.h"

namespace quintet::calibrate {

struct TrainingRun {
  std::string model, plan;              // files
  std::string topology, data, kernels;  // as given on command lines
  int steps = 10, warm_up = 3;          // steps that count, and those before them
  bool shaped = true;                   // links of the topology, in network namespaces
  std::filesystem::path files;          // what the names of its files begin with
  // On GPUs the engine says which steps it records (engine/capture): as many again as count, which
  // come after them and do not pay for it. `warm_up`, `kernels` and `shaped` are of CPU cores.
  Processor processor = Processor::cpu;
};

// What a run on GPUs tells beside its steps.
struct DeviceFigures {
  std::string recorded_by;    // "CUPTI 13.0.1"
  double recording_cost = 0;  // how much longer recorded steps took, as a share
  // The median recorded and unrecorded step as the engine's executor sees them: without what a rank
  // does between two steps.
  Seconds recorded, unrecorded;
  Bytes memory, predicted_memory;  // of the fullest GPU
  bool operator==(const DeviceFigures&) const = default;
};

struct MeasuredSteps {
  std::vector<Seconds> steps;  // one or more that count, sorted
  double others = 0;           // share of the cores' time that other programs took meanwhile
  std::optional<DeviceFigures> device{};  // of GPUs
  bool operator==(const MeasuredSteps&) const = default;
};

// The median step; there must be one.
Seconds median(const MeasuredSteps& measured);

// How many steps `quintet run` is asked for.
int steps_asked(const TrainingRun& run);

// What a log of `quintet run` (JSON lines) says of the steps that count.
Result<MeasuredSteps> steps_in_log(const std::filesystem::path& log, const TrainingRun& run);

// This file has the timeline of the median step, of all ranks.
std::filesystem::path timeline_file(const TrainingRun& run);

// Whether this process may make network namespaces.
bool namespaces_allowed();

// What an earlier run of the same model and plan in the same place left; nothing where it did not
// end, or differed.
std::optional<MeasuredSteps> kept_steps(const TrainingRun& run);

// Runs it and keeps what it measured. Fails with the name of the program that did; it said why on
// the standard error.
Result<MeasuredSteps> measure_steps(const TrainingRun& run);

}  // namespace quintet::calibrate
