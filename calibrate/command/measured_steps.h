// How ranks shared cores too few for them in the runs whose operators were measured: what their
// whole steps prove (fit_core_sharing).
#pragma once

#include <optional>
#include <vector>

#include "calibrate/command/calibrate_options.h"
#include "calibrate/probes/message_tail.h"
#include "sim/base/result.h"
#include "sim/cost/cost_table.h"

namespace quintet::calibrate {

struct MeasuredPlan {
  Seconds step;                           // the median of the run's
  std::optional<BesideOperators> beside;  // nothing where the run does not tell
};

// `runs`: of the arguments' plans, in their order. Sets message_tail, then usable and
// arrival_spread of a table that has all else. Writes tables that it tries to the arguments'
// output. Where `--set` changed the plans nothing but message_tail is set. The table must have
// processors. Fails where quintet simulate does.
std::optional<Error> fit_sharing_of_runs(const CalibrateArguments& arguments,
                                         const std::vector<MeasuredPlan>& runs, CostTable& table);

}  // namespace quintet::calibrate
