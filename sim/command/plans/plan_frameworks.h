// `quintet plan export` and `quintet plan import`: plans in the words of training frameworks.
#pragma once

#include <optional>
#include <string>

#include "sim/base/result.h"
#include "sim/command/inputs.h"
#include "sim/usage/verb.h"

namespace quintet {

struct FrameworkWish {
  std::string to, from;
  std::optional<int> ranks;  // import: in all
};

// The first plan to `output` (empty: printed), what could not be said to the standard error.
ExitCode export_plan(const FrameworkWish& wish, const Inputs& inputs, const std::string& output);

// `model` (may be empty) where the file does not say how many layers there are.
ExitCode import_plan(const FrameworkWish& wish, const std::string& file, const std::string& model,
                     const std::string& output);

}  // namespace quintet
