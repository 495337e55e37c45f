// A Difference for people, before it is text or a page.
#pragma once

#include <string>
#include <vector>

#include "sim/base/text_table.h"
#include "sim/explain/difference/difference_report.h"

namespace quintet {

struct ReportSection {
  std::string title;                   // may be empty
  std::vector<std::string> sentences;  // one a line
  std::vector<TextRow> table;          // the first row names the columns; may be empty
};

// First the answer; the longest tables are cut, and say so; last what the measured run did
// otherwise than its plan asks.
std::vector<ReportSection> difference_sections(const DifferenceInput& input);

}  // namespace quintet
