// A short training run of `quintet run`, and what it leaves in files: what was measured once need
// not be measured again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/result.h"
#include "sim/units.h"

namespace quintet::calibrate {

struct TrainingRun {
  std::string model, plan;              // files
  std::string topology, data, kernels;  // as given on command lines
  int steps = 10, warm_up = 3;          // steps that count, and those before them
  bool shaped = true;                   // links of the topology, in network namespaces
  std::filesystem::path files;          // what the names of its files begin with
};

struct MeasuredSteps {
  std::vector<Seconds> steps;  // one or more that count, sorted
  double others = 0;           // share of the cores' time that other programs took meanwhile
  bool operator==(const MeasuredSteps&) const = default;
};

Seconds median(const MeasuredSteps& measured);

// Of the median step, all ranks.
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
