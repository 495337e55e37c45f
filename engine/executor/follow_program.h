// Another program for a rank that keeps its state: what must be alike for that, and how one takes
// the other's place. Inside the room only.
#pragma once

#include <optional>

#include "sim/base/result.h"
#include "sim/plan/plan.h"
#include "sim/program/program.h"

namespace quintet::engine {

struct PlannedProgram {
  const Plan& plan;
  const Program& program;
};

// Why ranks cannot go from one to the other between two steps; nothing: they can. Of all ranks, so
// that every rank says the same.
std::optional<Error> not_alike(const PlannedProgram& now, const PlannedProgram& next);

// Role by role: whoever refers to a role or its script finds the new one there.
void replace(Program& now, Program next);

}  // namespace quintet::engine
