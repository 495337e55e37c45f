// A step whose steady part is long is walked without most of it (walk/recurrence.h).
#pragma once

#include <optional>

#include "sim/cost/cost_table.h"
#include "sim/price/communications.h"
#include "sim/program/program.h"
#include "sim/simulate/walk/recurrence.h"

namespace quintet {

struct Shortened {
  Program program;
  PeriodsLeftOut left_out;
};

// None where too little could be left out to be worth it, and where a walk does not tell its state
// in full: shared cores, copies to the host's memory.
std::optional<Shortened> shortened(const Program& program, const Communications& all,
                                   const CostTable& costs);

}  // namespace quintet
