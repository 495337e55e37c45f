// Fits as tables for people and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "sim/validate/fit/cross_validation.h"

namespace quintet {

// Parameters with estimate and spread, the errors, and each model left out.
std::string fit_text(const std::string& stack, const std::vector<Fit>& fits);

// {"stack", "fits": [{"judged_by", "rows", "parameters": [...], "errors": {"shipped", "fitted",
//  "left_out"}, "ratio", "models": [...]}]}
std::string fit_json(const std::string& stack, const std::vector<Fit>& fits);

// A line per source and stack of two models and more: error on the rows that parameters were
// chosen on, error when each model is predicted without itself, and their ratio.
std::string cross_validation_text(const std::vector<SourceSummary>& summary);

// "costs.eager of Megatron-DeepSpeed"
std::string name_of(const ShelfParameter& parameter);

}  // namespace quintet
