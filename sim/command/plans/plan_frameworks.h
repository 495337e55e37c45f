// `quintet plan export` and `quintet plan import`: plans in the words of training frameworks.
#pragma once

#include <optional>
#include <string>

#include "sim/asked/plan_flags.h"
#include "sim/base/result.h"
#include "sim/command/inputs.h"
#include "sim/usage/verb.h"

namespace quintet {

struct FrameworkWish {
  std::string to, from;
  std::optional<int> ranks, sequence_length;  // import: in all; where the file does not say it
};

// The wish with --sequence of a plan's options. An import takes no other of them: the file says it.
Result<FrameworkWish> with_asked(FrameworkWish wish, const PlanFlags& flags);

// The first plan to `output` (empty: printed), what could not be said to the standard error.
ExitCode export_plan(const FrameworkWish& wish, const Inputs& inputs, const std::string& output);

// `model` (may be empty) where the file does not say how many layers there are.
ExitCode import_plan(const FrameworkWish& wish, const std::string& file, const std::string& model,
                     const std::string& output);

}  // namespace quintet
