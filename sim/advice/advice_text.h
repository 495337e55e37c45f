// Advice for people: what is said first, and tables. Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/advice/advice.h"
#include "sim/base/report.h"

namespace quintet {

// A sentence for each thing that matters most, in plain English.
std::vector<std::string> advice_sentences(const Advice& advice);

// Tables of all of it.
std::vector<ReportSection> advice_sections(const Advice& advice);

// For a terminal: both.
std::string advice_text(const Advice& advice);

// Parts of advice_sections().
std::vector<ReportSection> decision_sections(const Advice& advice);
std::vector<ReportSection> limit_sections(const Advice& advice);
std::vector<ReportSection> machine_sections(const Advice& advice);
std::vector<ReportSection> robustness_sections(const Advice& advice);
std::vector<ReportSection> judged_sections(const Advice& advice);

// "8761.1", of a column of ms; "-" where there is none.
std::string milliseconds_text(const std::optional<Seconds>& time);
std::string signed_milliseconds_text(const std::optional<Seconds>& time);
// "12,000 $", "3.10 M$".
std::string dollars_text(Dollars amount);

}  // namespace quintet
