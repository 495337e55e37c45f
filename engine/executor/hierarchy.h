// Which of a program's communicators are the levels of a hierarchy: a collective over it comes as
// phases (sim/intra_inter/phases.h), which keep the purpose of the whole and work on its buffer.
//
// Parts are ordered by the levels, innermost first: with n ranks inside and m across, the rank that
// is c-th inside and d-th across owns part c * m + d of n * m.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/result.h"
#include "sim/program/program.h"

namespace quintet::engine {

enum class Level { whole, inside, across };

class Hierarchy {
 public:
  // An error where communicators of one purpose in one body are no two levels.
  static Result<Hierarchy> of(const Program& program);

  Level level(const Collective& collective) const {
    return levels_[collective.communicator.index()].level;
  }
  // Whether a phase is the one that takes the buffer up, and the one after which it is done.
  bool begins(const Collective& collective) const;
  bool ends(const Collective& collective) const;

  // Of the phase that takes a buffer of `elements` up: to how many it is padded, for the ranks
  // inside to have equal parts. What is only gathered consists of equal parts already. The program
  // does not count these elements, fewer than the ranks inside.
  std::int64_t padded(const Collective& collective, const Program& program, Rank rank,
                      std::int64_t elements) const;

  // What of the whole's padded buffer a phase works on: all of it, or this rank's part inside.
  std::span<std::byte> worked_on(const Collective& collective, const Program& program, Rank rank,
                                 std::span<std::byte> whole) const;

  // This rank's part among those that share the collective's buffer, and how many they are.
  struct Place {
    int position = 0, ranks = 1;
  };
  Place place(const Collective& collective, const Program& program, Rank rank) const;

 private:
  struct Levelled {
    Level level = Level::whole;
    CommunicatorId other;  // the other level
  };
  std::vector<Levelled> levels_;  // by communicator
};

}  // namespace quintet::engine
