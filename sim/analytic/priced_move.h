// A communication as the pieces of a step see it: all that a rank and its siblings, which move at
// the same time, leave of the machine for it is in its rate.
#pragma once

#include <algorithm>

#include "sim/cost/cost_table.h"
#include "sim/cost/overlap_time.h"

namespace quintet {

class SharedLinks;

struct PricedMove {
  double latency = 0;  // s; the lane is held
  double bytes = 0;
  double bound = 0;   // B/s that algorithm and protocol reach; infinite: nothing bounds it
  double share = 0;   // B/s that links leave each of the siblings
  double alone = 0;   // B/s that they let pass of one group when nobody else moves anything
  double held = 0;    // s before all that its sender holds it back
  double flight = 0;  // s after it has left, while the lane is free
  double busy_sms = 0;
  double memory_share = 0;
  CommunicationClass moves = CommunicationClass::copying;
  const SharedLinks* links = nullptr;  // what it and its siblings load; null: nothing

  bool operator==(const PricedMove&) const = default;

  // `slower`: what a kernel beside it does to the bound.
  double time(double slower = 1) const { return held + latency + moving(slower); }
  double moving(double slower = 1) const {
    return bytes > 0 ? bytes / std::min(bound / slower, share) : 0;
  }
  // What no communication like it is faster than.
  double least() const { return latency + (bytes > 0 ? bytes / std::min(bound, alone) : 0); }
};

// What moves on a GPU beside a kernel.
inline void add(CommunicationBeside& beside, const PricedMove& move) {
  beside.busy_sms += move.busy_sms;
  beside.memory_share += move.memory_share;
  if (move.busy_sms > 0)
    ++(move.moves == CommunicationClass::reducing ? beside.reducing : beside.copying);
}

}  // namespace quintet
