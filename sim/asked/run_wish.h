// `quintet simulate --tokens N`, `--samples N`, `--steps N`: how long a whole run is.
#pragma once

#include <optional>
#include <string>

#include "sim/training_run/run_length.h"
#include "sim/usage/verb.h"

namespace quintet {

struct RunWish {
  std::string tokens, samples, steps;  // one of them, or none
  bool wanted() const { return !tokens.empty() || !samples.empty() || !steps.empty(); }
};

Options run_options(RunWish& into);

// None was asked for. The error's place is the option.
Result<std::optional<RunLength>> run_asked(const RunWish& wish);

}  // namespace quintet
