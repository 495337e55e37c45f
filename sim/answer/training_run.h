// A whole run of so many tokens, at the predicted step: no restarts, checkpoints, evaluations or
// warm-up. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/result.h"
#include "sim/base/units.h"
#include "sim/confidence/step_interval.h"
#include "sim/explain/summary.h"

namespace quintet {

struct TrainingRun {
  double tokens = 0;
  double steps = 0;  // whole ones
  Seconds time;
  std::optional<StepInterval> interval;  // of the time, as of the step
  Joules energy;                         // 0: power not known
  Dollars cost;                          // 0: price not known
  bool operator==(const TrainingRun&) const = default;
};

// "15T", "300 B", "1.5e12", "20M": from one token on, K to T as powers of 1000.
Result<double> parse_tokens(std::string_view text);
// For command lines: what is wrong with it, empty when nothing is.
std::string complaint_of_tokens(const std::string& text);

// `tokens_per_step` above 0.
TrainingRun training_run(double tokens, std::int64_t tokens_per_step, const StepSummary& step,
                         const std::optional<StepInterval>& interval);

// "15 trillion tokens: 1,788,140 steps, 181.3 days (164.1 to 216.0), 11,200 MWh"
std::string text_of(const TrainingRun& run);

}  // namespace quintet
