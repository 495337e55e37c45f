// A Difference for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "sim/base/report.h"
#include "sim/explain/difference/difference.h"

namespace quintet {

struct DifferenceInput {
  std::string predicted_name, measured_name;  // files
  const Timeline& predicted;
  const Timeline& measured;
  const Difference& difference;
};

// First the answer, then tables; the longest lists are cut, and say so. Ends with what the measured
// run did otherwise than the plan asks.
std::string difference_text(const DifferenceInput& input);

// The same before it is text: for pages.
std::vector<ReportSection> difference_sections(const DifferenceInput& input);

// {"schema_version": 1, "unit": "ps", "predicted", "measured": {"name", "step"}, "measurement",
//  "causes": [{"cause", "rank" | "axis" ..., "predicted", "measured", "work", "text"}],
//  "breakdown": [two, as breakdown_json's],
//  "stack", "layers", "axes": [{"name", "predicted", "measured"}], "per_host", "per_rank",
//  "operators", "communication", "instructions", "unmatched", "unobeyed": [...]}
std::string difference_json(const DifferenceInput& input);

}  // namespace quintet
