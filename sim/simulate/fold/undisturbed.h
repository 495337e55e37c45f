// Communications that have their links to themselves, whatever else happens in the step: the
// collectives of one group of ranks that follow one another on one lane, where nobody else ever
// loads what they load. Tensor groups inside a host mostly are such. Their rates need no sharing.
#pragma once

#include "sim/program/program.h"
#include "sim/simulate/fold/world.h"

namespace quintet {

// Sets FoldedPrice::undisturbed.
void find_undisturbed(const Program& program, FoldedWorld& world);

}  // namespace quintet
