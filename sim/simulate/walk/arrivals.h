// How ranks that share cores come to a collective: straight from computing, or held up by their
// lane, which lets slower ranks catch up (ProcessorCosts::arrival_spread).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/base/units.h"
#include "sim/cost/cost_table.h"

namespace quintet {

class Arrivals {
 public:
  Arrivals(std::size_t actors, std::size_t lanes)
      : actors_(actors, OfActor{{}, {}, std::vector<Instant>(lanes)}) {}

  void computed(std::int32_t actor, Instant from, Instant to) {
    of(actor).began = from;
    of(actor).computed += seconds(to - from);
  }
  void freed(std::int32_t actor, std::size_t lane, Instant now) { of(actor).freed[lane] = now; }

  // The actor is at a collective on this lane: how much later than evenly it comes, by what it
  // computed since it last was at one; not at all where the lane had something else to do while the
  // last kernel ran.
  Seconds lateness(const ArrivalSpread& spread, std::int32_t actor, std::size_t lane) {
    OfActor& self = of(actor);
    const Seconds computed = self.freed[lane] <= self.began ? self.computed : Seconds{};
    self.computed = {};
    return std::min(spread.most, spread.share * computed);
  }

 private:
  struct OfActor {
    Instant began;  // its last kernel
    Seconds computed;
    std::vector<Instant> freed;  // per lane: its last task ended
  };
  OfActor& of(std::int32_t actor) { return actors_[static_cast<std::size_t>(actor)]; }

  std::vector<OfActor> actors_;
};

}  // namespace quintet
