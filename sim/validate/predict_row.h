// The predicted step of an expressed row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/result.h"
#include "sim/timeline/breakdown.h"
#include "sim/timeline/memory_report.h"
#include "sim/units.h"
#include "sim/validate/express.h"

namespace quintet {

struct StepPrediction {
  Seconds step;
  bool fits = true;
  RankMemory fullest;
  Bytes capacity;
  // Mean over ranks, of the step that was simulated (see simulated_batches).
  RankBreakdown breakdown;
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

Result<StepPrediction> predict_row(const Expression& row, const Topology& topology);

}  // namespace quintet
