// Findings in sentences.
#pragma once

#include "traces/report/diagnosis.h"
#include "traces/report/what_ifs.h"

namespace quintet {

// Of a cause that can be removed; `diagnosis` has all but findings and path.
Finding finding_of(const Removed& removed, const Diagnosis& diagnosis, const Timeline& timeline);

// What a step without these still loses: rows of the mean of its ranks' times, those below `least`
// left out.
std::vector<Finding> findings_of_rest(const RankTimes& rest, const Diagnosis& diagnosis,
                                      Duration least);

// For evidence: "1.23 ms", "4.5 us", "31.2 MB/s", "2.1 MiB"; to three digits.
std::string short_text(Duration time);
std::string short_text(Bandwidth rate);
std::string short_text(Bytes size);
// Kernels' names are C++ templates: their first sixty letters.
std::string short_name(const std::string& name);

}  // namespace quintet
