// Causes in plain words.
#pragma once

#include <string>
#include <vector>

#include "sim/timeline/difference.h"
#include "sim/timeline/shown_times.h"
#include "sim/timeline/text_table.h"

namespace quintet {

// "the network, data axis: data moved for 2.03 times as long as predicted (...)"
std::string sentence_of(const Cause& cause);

// What a table calls it: "network, data axis".
std::string title_of(const Cause& cause);

// The causes that make up a twentieth of the difference or more, numbered; what is doubtful about
// them.
std::vector<std::string> why(const Difference& difference, const ShownTimes& times);

// All of them; rows sum to the step.
std::vector<TextRow> cause_rows(const Difference& difference, const ShownTimes& times);

}  // namespace quintet
