// Which ranks, parties and links cannot be told apart: colour refinement (an equitable partition of
// links and flows).
#pragma once

#include <vector>

#include "sim/program/program.h"
#include "sim/simulate/fold/colour.h"
#include "sim/simulate/fold/parties.h"

namespace quintet {

// Equal colours are one class; numbered from 0 in order of first appearance.
struct Colours {
  std::vector<Colour> parties, ranks, links;
  // Per link: it tells parties of one colour apart, and may be left out only as long as it is slack
  // (slack_links.h). Empty: none is.
  std::vector<bool> presumed_slack;
};

// Links that tell nobody apart: whoever loads them, and how, is not looked at.
using Telling = std::vector<bool>;  // per link: it does tell

// Settled: what neighbours they have tells no two of one colour apart. Links that do not tell all
// have one colour.
Colours refined_colours(const Program& program, const std::vector<LinkShare>& links,
                        const Parties& parties, const Telling& telling);

// The colours of links by what parties of which colours put on them.
std::vector<Colour> colours_by_load(const std::vector<LinkShare>& links, const Parties& parties,
                                    const std::vector<Colour>& of_parties);

// Every rank, party and link a class of its own.
Colours separate_colours(const Program& program, const std::vector<LinkShare>& links,
                         const Parties& parties);

}  // namespace quintet
