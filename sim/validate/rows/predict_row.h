// The predicted step of an expressed row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/explain/memory_report.h"
#include "sim/validate/rows/express.h"

namespace quintet {

// A line of a breakdown (timeline/breakdown_report.h); parts of level 1 sum to the one of level 0
// above them.
struct StepPart {
  std::string name;
  int level = 0;
  Seconds time;
  bool operator==(const StepPart&) const = default;
};

struct StepPrediction {
  Seconds step;
  bool fits = true;
  RankMemory fullest;
  Bytes capacity;
  std::vector<StepPart> parts;  // mean over ranks; those of level 0 sum to the step
};

// A step with very many micro-batches repeats itself: it is simulated with two smaller numbers of
// them, and the difference between the two is what each further micro-batch takes. Equal to the
// full simulation where the pipeline has found its period, which two fillings of it allow
// (tests/sim/validate/predict_row_test.cpp). Equal numbers: no shortening.
struct SimulatedBatches {
  int fewer = 0, more = 0;
  bool operator==(const SimulatedBatches&) const = default;
};
SimulatedBatches simulated_batches(const Parallelism& parallelism);

// The step and its memory; fails as predict() does.
Result<StepPrediction> predict_row(const Expression& row, const Topology& topology);

// Only `fits`, `fullest` and `capacity`; the step is not simulated.
Result<StepPrediction> predict_row_memory(const Expression& row, const Topology& topology);

}  // namespace quintet
