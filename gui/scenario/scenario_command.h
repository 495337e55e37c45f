// A scenario as a command line of `quintet simulate`, and as what that command reads.
#pragma once

#include <string>
#include <vector>

#include "gui/scenario/scenario.h"
#include "sim/base/result.h"
#include "sim/command/inputs.h"

namespace quintet::gui {

// {"quintet", "simulate", "llama-3-70b-1024-h100-tp8-pp4", "--model", "llama-3-70b", ...}
std::vector<std::string> command_words(const Scenario& scenario);
// As a shell reads them.
std::string command_text(const Scenario& scenario);
std::string command_text(const std::vector<std::string>& words);

// Fails as asked_fields() does: a path that there is not, an option's value.
Result<InputNames> input_names(const Scenario& scenario);

}  // namespace quintet::gui
