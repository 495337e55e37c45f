// A whole run in a line. Pure.
#pragma once

#include <span>
#include <string>

#include "sim/training_run/training_run.h"

namespace quintet {

// "15 trillion tokens: 1,788,140 steps, 181.3 days (164.1 to 216.0), 11,200 MWh"; "2.93 million
// samples: 179 steps, 22.4 s (20.9 to 24.1), of which start-up 3.0 s, 9 evaluations 0.7 s, 4.1 kWh"
std::string text_of(const TrainingRun& run);

// The unit in which a time of this size is read best, and times in it: "28.9", "4.20".
struct TimeUnit {
  double seconds = 1;
  const char* name = "s";
};
TimeUnit unit_of(Seconds time);
std::string in_unit(Seconds time, const TimeUnit& unit);

// What was asked for: "300 billion tokens", "2.93 million samples", "1,000 steps".
std::string asked_text(const RunLength& length);

}  // namespace quintet
