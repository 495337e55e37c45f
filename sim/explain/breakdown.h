// Where the time of a step went, per rank. Every picosecond of a rank's step is put in exactly one
// row, so the rows sum to the step time exactly (integers). Exposed: communication that no compute
// hides. Rule for one instant on one rank, the first that holds:
//   1. a compute span runs                                         -> compute, by operator, phase
//   2. the next kernel could run, had the CPU launched it          -> host
//   3. a collective or a receive moves data (moving <= t < end)    -> exposed, by axis
//   4. communication off the pipeline axis, or a send, waits for its peers       -> waiting
//   5. a receive or a collective on the pipeline axis waits (start <= t < moving) -> bubble
//   6. a send moves data: its rank need not wait for it            -> exposed, by axis
//   7. a copy runs                                                 -> copy
//   8. host work runs                                              -> host
//   9. otherwise, drained: the step has more than one stage, this rank has not begun its first
//      forward or has finished its last backward, and a rank of another stage does something
//      (computes, moves data, copies, works on the host)           -> bubble
//  10. otherwise                                                   -> idle
// Launch gaps come early since their cause is certain; receives late since they are posted ahead.
// Where several spans satisfy the same rule at once, the one that began first gets the instant
// (order in the timeline when they began together). What lies outside 0 .. Timeline::end is cut
// off. By rule 9 a rank that waits at the end of the step for a stage that finished its backward
// later is in the bubble: the drain shifted that stage's reduction and update as a whole.
#pragma once

#include <array>
#include <vector>

#include "sim/timeline/repeated_part.h"
#include "sim/timeline/timeline.h"

namespace quintet {

struct OperatorTime {
  OperatorKind work = OperatorKind::norm;
  Phase phase = Phase::forward;
  Duration time;
  bool operator==(const OperatorTime&) const = default;
};

struct RankBreakdown {
  Rank rank;
  int ranks = 1;
  int stage = 0;
  Duration step;
  Duration compute;                            // = sum of `operators`
  std::vector<OperatorTime> operators;         // in order of enumeration, only those that took time
  std::array<Duration, axis_count> exposed{};  // by Axis
  // By Axis, time in which its data moved, hidden or not: no part of the sum, never less than
  // `exposed`.
  std::array<Duration, axis_count> total_communication{};
  Duration bubble;
  Duration waiting;  // for peers of a collective
  Duration copy;
  Duration host;
  Duration idle;
  bool operator==(const RankBreakdown&) const = default;
};

// The rows that must sum to `step`.
Duration sum(const RankBreakdown& breakdown);

// One per track, in their order, of the timeline with its part repeated: what takes an instant of
// the part takes that of each repetition. O(n log n) in the number of spans.
std::vector<RankBreakdown> breakdowns(const Timeline& timeline, const RepeatedPart& repeated = {});

// What of its rank's step is on a span's account by the rules above. A step is the sum of its
// spans' shares, the host's gaps (rule 2), the drain (9) and idle time (10).
struct SpanShare {
  Duration active;   // rules 1, 3, 6, 7, 8
  Duration waiting;  // rules 4, 5
  bool operator==(const SpanShare&) const = default;
};

// One per span, in their order.
std::vector<SpanShare> span_shares(const Timeline& timeline);

// Mean over ranks (weighted by how many each track stands for), parts rounded so that they still
// sum to the step: each part is rounded down, then the picoseconds that are missing go to the parts
// with the largest remainders. `rank` is none (-1); `stage` is -1 unless all have the same.
RankBreakdown mean(const std::vector<RankBreakdown>& breakdowns);

}  // namespace quintet
