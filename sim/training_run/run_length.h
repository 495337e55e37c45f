// How long a run is, as users say it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "sim/base/result.h"
#include "sim/plan/plan.h"

namespace quintet {

enum class RunUnit { tokens, samples, steps };
std::string_view name_of(RunUnit unit);

struct RunLength {
  double count = 0;
  RunUnit unit = RunUnit::tokens;
  bool operator==(const RunLength&) const = default;
};

// "15T", "300 B", "1.5e12", "20M": from one on, K to T as powers of 1000.
Result<RunLength> parse_run_length(std::string_view text, RunUnit unit);

// What a step trains.
struct StepContent {
  double tokens = 0, samples = 0;  // above 0
};
// The plan's global batch, unless its run says otherwise.
double samples_of_step(const Plan& plan);

// Whole steps.
double steps_of(const RunLength& length, const StepContent& step);

}  // namespace quintet
