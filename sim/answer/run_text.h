// A whole run in a line. Pure.
#pragma once

#include <string>

#include "sim/training_run/training_run.h"

namespace quintet {

// "15 trillion tokens: 1,788,140 steps, 181.3 days (164.1 to 216.0), 11,200 MWh"; "2.93 million
// samples: 179 steps, 22.4 s (20.9 to 24.1), of which start-up 3.0 s, 9 evaluations 0.7 s, 4.1 kWh"
std::string text_of(const TrainingRun& run);

}  // namespace quintet
