// How ranks share cores too few for them, as steps of probes tell: what no operator and no message
// alone can say.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "calibrate/probes/whole_steps.h"
#include "sim/base/result.h"
#include "sim/cost/cost_table.h"

namespace quintet::calibrate {

// The steps of all probes, as this table predicts them.
using StepsBy = std::function<Result<std::vector<WholeStep>>(const CostTable&)>;

// Sets the table's ProcessorCosts::usable to what the steps prove, then its arrival_spread to what
// predicts them best: `most` in powers of two, then the share; more of it only where that is better
// by more than noise. The table must have processors.
std::optional<Error> fit_core_sharing(const StepsBy& steps_by, CostTable& table);

}  // namespace quintet::calibrate
