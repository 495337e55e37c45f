// The nominal 90 % interval of a predicted step, from what is known of the cost table's own errors
// and of published predictions. Pure.
//
//   whole steps were run when the table was measured: theirs alone (prediction_interval.h)
//   the table is made of peak rates: as wide as it says (sim/cost/guess)
//   otherwise the wider of both that are known: residuals of the table's parts, which do not know
//     what no part prices, and errors of published steps (expected_error.h)
// The parts' residuals alone, without published steps, must cover half of the step.
#pragma once

#include <optional>
#include <string>

#include "sim/base/units.h"
#include "sim/confidence/expected_error.h"
#include "sim/cost/cost_table.h"
#include "sim/simulate/prediction_interval.h"

namespace quintet {

struct StepInterval {
  Seconds low, high;     // low < high
  std::string rests_on;  // "28 published steps of NeMo on H100-SXM-80GB"
  bool operator==(const StepInterval&) const = default;
};

inline constexpr double nominal_coverage = 0.9;

// Nothing where nothing is known: an interval without a width promises what nobody knows.
std::optional<StepInterval> step_interval(Seconds step, const PredictedInterval& of_parts,
                                          const CostTable& costs,
                                          const std::optional<ExpectedError>& published);

}  // namespace quintet
