// Steps repeat themselves: where a walk comes to a state again, only later and at later
// micro-batches, what follows is what followed before, for as long as ranks find the same calls
// before them. A walk of a step without some of its periods (fold/repeated_calls.h) then tells the
// whole step, to the picosecond: the window between two such states once more for each period left
// out.
//
// Time is an integer and all that is computed of it is computed of differences, so a state is equal
// to an earlier one when its instants counted from now, its numbers of tasks counted from the
// period, and all its other numbers are equal to the bit (Digest).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/program/tasks.h"
#include "sim/simulate/fold/repeated_calls.h"
#include "sim/timeline/repeated_part.h"

namespace quintet {

// What a walk is without: so many periods of the steady part, of which the program walked has the
// rest.
struct PeriodsLeftOut {
  Repetition rest;
  int periods = 0;
};

// The steady part of a role, as tasks.
struct SteadyTasks {
  std::int32_t begin = 0, end = 0;
  std::int32_t length = 0;  // of a period

  // The task as seen from a period: equal for the same one of another period.
  std::int64_t seen_from(std::int64_t period, std::int32_t number) const {
    constexpr std::int64_t inside = std::int64_t{1} << 40, behind = std::int64_t{1} << 41;
    if (number < begin) return number;
    return number < end ? inside + number - period * length : behind + number - end;
  }
};

SteadyTasks steady_tasks(const TaskList& list, const RepeatedCalls& calls);

// Taken once a period, when all of its instant has happened.
struct Mark {
  Instant at;
  std::uint64_t state = 0;
  std::vector<std::int64_t> moves;  // per price: how many have begun
  std::int32_t messages = 0;        // that have been sent
};

class Recurrence {
 public:
  explicit Recurrence(PeriodsLeftOut left_out) : left_out_(std::move(left_out)) {}

  void add(Mark mark);
  // Two marks that are one state, after a third before them that is the same.
  bool found() const { return apart_ > 0; }

  struct Window {
    RepeatedPart part;
    std::vector<std::int64_t> moves;  // per price: how many more there are in the whole step
  };
  // None where none was found, or the whole step lasts longer than clocks go.
  std::optional<Window> window() const;

 private:
  bool recurs(std::size_t apart) const;

  PeriodsLeftOut left_out_;
  std::vector<Mark> marks_;
  std::size_t apart_ = 0;  // marks between equal states; 0: none found yet
};

}  // namespace quintet
