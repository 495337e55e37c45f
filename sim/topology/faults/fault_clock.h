// Which faults hold, as a run goes on: told when steps begin and what time it is, by a virtual
// clock or a real one, it says what begins and what is over. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/topology/faults/fault_file.h"

namespace quintet {

// A fault that begins or is over.
struct FaultTurn {
  std::size_t fault = 0;
  bool begins = true;
  Seconds due;  // since the first step began
  bool operator==(const FaultTurn&) const = default;
};

class FaultClock {
 public:
  // They must outlive the clock.
  explicit FaultClock(std::span<const Fault> faults);

  // Steps come one after the other, the first at 0; what was due before it holds from then on.
  void begin_step(int step, Seconds now);
  // What turns whose time is known, and has not come: the earliest first, at one time what is over
  // before what begins.
  std::vector<FaultTurn> known() const;
  // All that is due by now takes hold, in that order.
  std::vector<FaultTurn> advance(Seconds now);

  const std::vector<bool>& holding() const { return holding_; }  // per fault
  std::vector<Fault> now_wrong() const;

 private:
  struct Pending {
    FaultTurn turn;
    RunMoment moment;
    bool known = false;
  };
  std::span<const Fault> faults_;
  std::vector<Pending> pending_;
  std::vector<bool> holding_;
};

// "host3/nic5 at 25 % of its rate", "host3/nic5 is as before (was at 25 % of its rate)".
std::string text(const FaultTurn& turn, std::span<const Fault> faults);

}  // namespace quintet
