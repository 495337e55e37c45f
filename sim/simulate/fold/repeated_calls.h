// The steady part of a step: calls that every role makes again and again, each time for later
// micro-batches. Pure: what a Program says, not what it takes.
//
//   stage 0 of 1F1B, p = 3:  F1 F2 | F3 X1 | F4 X2 | F5 X3 | X4 X5     a period is a line between
//   bars
#pragma once

#include <optional>
#include <vector>

#include "sim/program/program.h"

namespace quintet {

// The steady part of one role: calls [begin, begin + periods * length) of its script.
struct RepeatedCalls {
  int begin = 0;
  int length = 0;  // of a period
  int periods = 0;
  bool operator==(const RepeatedCalls&) const = default;
};

struct Repetition {
  int micro_batches = 0;             // that a period is later than the one before it
  std::vector<RepeatedCalls> roles;  // of the program
  bool operator==(const Repetition&) const = default;
};

// None where some role has no such part.
std::optional<Repetition> repetition(const Program& program);

// The program with so many periods less in every role, its micro-batches numbered without a gap;
// what follows the steady part waits for the same calls as before. None where it waits for calls
// that are left out. `periods`: less than each role has.
std::optional<Program> without_periods(const Program& program, const Repetition& repetition,
                                       int periods);

}  // namespace quintet
