// Which ranks, parties and links cannot be told apart: colour refinement (an equitable partition of
// links and flows).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/program/program.h"
#include "sim/simulate/fold/parties.h"

namespace quintet {

using Colour = std::uint64_t;

// Equal colours are one class; numbered from 0 in order of first appearance.
struct Colours {
  std::vector<Colour> parties, ranks, links;
};

// Settled: what neighbours they have tells no two of one colour apart.
Colours refined_colours(const Program& program, const std::vector<LinkShare>& links,
                        const Parties& parties);

// Every rank, party and link a class of its own.
Colours separate_colours(const Program& program, const std::vector<LinkShare>& links,
                         const Parties& parties);

}  // namespace quintet
