// Folding by what routes really meet: a link on which there always is room to spare holds nobody
// back, so which of such links a flow crosses need not tell it from others.
//
// Ranks and parties are told apart by all but their links first. Most links then load all members
// of a class alike (every member's NIC, whatever its number) and stay in the sharing. Those that do
// not (the uplinks that a hash or a destination's number chose) are presumed slack: they leave the
// sharing, and whoever simulates watches them. Where the presumption holds to the end, every rate
// was what it would have been with them (sim/network/fluid/slack_watch.h has the proof), so every
// event of the step, by induction over events, is that of the unfolded simulation to the
// picosecond. Where it fails for some, these are binding: they tell ranks apart from the beginning,
// and the step is simulated anew. Each failure adds binding links, so it ends, at the latest where
// all are.
#pragma once

#include <vector>

#include "sim/program/program.h"
#include "sim/simulate/fold/colour_refinement.h"
#include "sim/simulate/fold/parties.h"

namespace quintet {

// Settled but for the links presumed slack; `binding` tell always. The parties' rates alone are
// known.
Colours colours_presuming_slack(const Program& program, const std::vector<LinkShare>& links,
                                const Parties& parties, const Telling& binding);

}  // namespace quintet
