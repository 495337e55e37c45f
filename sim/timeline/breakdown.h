// Where the time of a step went, per rank. Every picosecond of a rank's step is put in exactly one
// row, so the rows sum to the step time exactly (integers). Rule for one instant on one rank, the
// first that holds:
//   1. a compute span runs                          -> compute, by operator and phase
//   2. communication moves data (moving <= t < end) -> exposed communication, by axis
//   3. a receive waits for its sender               -> pipeline bubble
//   4. a collective waits for peers                 -> waiting for peers
//   5. a copy runs                                  -> copy
//   6. the CPU has not launched the next kernel     -> host
//   7. otherwise                                    -> idle (pipeline drained: after the last and
//   before the first work: bubble)
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

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
  std::vector<OperatorTime> operators;         // in order of enumeration
  std::array<Duration, axis_count> exposed{};  // by Axis
  std::array<Duration, axis_count>
      total_communication{};  // data moving, hidden or not; NOT part of the sum
  Duration bubble;
  Duration waiting;  // for peers of a collective
  Duration copy;
  Duration host;
  Duration idle;
  bool operator==(const RankBreakdown&) const = default;
};

// The rows that must sum to `step`.
Duration sum(const RankBreakdown& breakdown);

std::vector<RankBreakdown> breakdowns(const Timeline& timeline);

// Mean over ranks (weighted by how many each track stands for), parts rounded so that they still
// sum to the step.
RankBreakdown mean(const std::vector<RankBreakdown>& breakdowns);

}  // namespace quintet
