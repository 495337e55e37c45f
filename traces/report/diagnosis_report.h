// A diagnosis for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "sim/base/report.h"
#include "sim/picture/page.h"
#include "sim/timeline/timeline.h"
#include "traces/report/diagnosis.h"

namespace quintet {

// Findings first, then the tables they rest on, each with what its numbers mean. Of ranks the first
// sixteen, of other lists the first ten or so; they say how many were left out.
std::vector<ReportSection> diagnosis_sections(const Diagnosis& diagnosis);
std::string diagnosis_text(const Diagnosis& diagnosis);

// {"schema_version": 1, "unit": "ps", "step", "findings": [{"kind", "cost", ...}], "ranks", ...}:
// all there is. Times are integers, so that a reader can check that the parts of each rank sum to
// the step; sizes are bytes, rates bytes a second.
std::string diagnosis_json(const Diagnosis& diagnosis);

// One file, no script, nothing from elsewhere; with drawings of the step. The timeline is that
// which was diagnosed.
std::string diagnosis_html(const Diagnosis& diagnosis, const Timeline& timeline);

}  // namespace quintet
