// Who is to answer for each picosecond of a step: waiting is charged to what was waited for.
//
// Every rank's step is cut into pieces by the rules of breakdown.h. A piece in which the rank does
// something (computes, moves data, copies, works on the host, has its launches late) is charged to
// that rank and what it does. A piece in which it waits is charged to what the awaited rank does at
// that time; when that one waits too, to the one it waits for, and so on. Awaited is
//   a receive's sender and a send's receiver, until they come to the message; a collective's member
//   that comes last; by a rank that has done its last instruction, the one that ends the step.
// When the awaited rank has come and data still does not move, the network is charged (the axis).
// So a bubble or a wait never is a cause: what made somebody late is. Blame is shifted likewise by
// N. Tallent et al., PPoPP 2010, and D. Boehme et al., ICPP 2010 (Scalasca's delay analysis).
// What a rank that nothing holds up leaves empty is idle; a wait whose peer the timeline does not
// show (folded predictions) is unexplained, as is one that leads back to itself.
#pragma once

#include <map>
#include <vector>

#include "sim/explain/mean_parts.h"
#include "sim/timeline/repeated_part.h"
#include "sim/timeline/timeline.h"

namespace quintet {

enum class Deed { compute, moves, copies, host, idle, unexplained };

// What a time is charged to. Fields that its deed does not use are as they are here.
struct Charge {
  Deed deed = Deed::idle;
  OperatorKind work = OperatorKind::norm;  // compute
  Phase phase = Phase::forward;            // compute
  Axis axis = Axis::tensor;                // moves, unexplained
  std::int32_t track = 0;                  // whose deed
  auto operator<=>(const Charge&) const = default;
};

using Charges = std::map<Charge, Duration>;

// Per track, what its step is charged to: sums to the step exactly. Of the timeline with its part
// repeated.
std::vector<Charges> charges(const Timeline& timeline, const RepeatedPart& repeated = {});

}  // namespace quintet
