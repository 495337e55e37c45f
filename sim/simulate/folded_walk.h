// Walks a step with as few ranks and micro-batches as tell it exactly (fold/, shortened.h).
#pragma once

#include "sim/base/result.h"
#include "sim/simulate/predict.h"

namespace quintet {

// Links that may be slack are presumed so, and the step is walked again where one was not. The
// timeline lacks what only repeats a part of it (Execution::repeated).
Result<Execution> walk_folded(const PricedStep& priced, const PredictOptions& options);

}  // namespace quintet
