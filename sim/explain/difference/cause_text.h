// Causes in plain words.
#pragma once

#include <string>
#include <vector>

#include "sim/base/text_table.h"
#include "sim/explain/difference/difference.h"
#include "sim/explain/shown_times.h"

namespace quintet {

// "the network took 2.03 times as long as predicted for data of the data axis (...)"
std::string sentence_of(const Cause& cause);

// What a table calls it: "network, data axis".
std::string title_of(const Cause& cause);

// The causes that matter, numbered; what is doubtful about them. Their differences may be many
// times the step's, which is what they leave of each other: one matters from a twentieth of their
// sum without signs.
std::vector<std::string> why(const Difference& difference, const ShownTimes& times);

// All of them; rows sum to the step.
std::vector<TextRow> cause_rows(const Difference& difference, const ShownTimes& times);

}  // namespace quintet
