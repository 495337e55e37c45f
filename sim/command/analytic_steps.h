// `quintet simulate --fidelity analytic`: steps put together from pieces (sim/analytic), without a
// timeline.
#pragma once

#include <optional>
#include <vector>

#include "sim/base/result.h"
#include "sim/command/inputs.h"
#include "sim/command/simulate_options.h"
#include "sim/usage/verb.h"

namespace quintet {

// What needs a timeline, a run of steps, or what the walk knows beside the step, and was asked for
// all the same.
std::optional<Error> wrong_with_analytic(const SimulateArguments& arguments);

// A line, or an entry of the JSON, for each plan, in the order asked. Plans that only the walk
// prices are refused beside the others.
ExitCode simulate_analytic(const SimulateArguments& arguments, const std::vector<Inputs>& inputs);

}  // namespace quintet
