// When a rank may ask for each message of a step, where asking puts a kernel on a device that waits
// there for the sender: not as early as the program lets it, since all that waits for the whole
// device (memory, a module that is loaded) and all that shares its connections waits behind it, and
// its message needs memory; but one pass of a micro-batch through the stage before it is needed, so
// that it arrives under the computation of that pass. So two are under way at most. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/program/readiness.h"

namespace quintet::engine {

class ReceiveTimes {
 public:
  // The receives of one role's script; `lane` computes.
  ReceiveTimes(const Program& program, const Script& script, const TaskList& list,
               const InstructionTable& table, std::size_t lane);

  bool may_start(int task, const Readiness& step) const;

 private:
  std::size_t lane_;
  std::vector<std::int32_t> from_;  // per task: the one of the lane that must be the next, or later
};

}  // namespace quintet::engine
