// What every class of ranks did in a step, as it is simulated, and the Timeline that comes of it.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/program/program.h"
#include "sim/simulate/fold/world.h"
#include "sim/timeline/timeline.h"

namespace quintet {

class StepRecord {
 public:
  explicit StepRecord(std::size_t actors) : spans_(actors), gaps_(actors) {}

  void add(const Span& span) { spans_[static_cast<std::size_t>(span.track)].push_back(span); }
  // The actor's compute lane could go on, but the CPU had not launched what comes next.
  void add_gap(std::int32_t actor, Instant from, Instant to) {
    gaps_[static_cast<std::size_t>(actor)].push_back({actor, from, to});
  }

  // Tracks are the actors, spans of each in order of start. Gives its spans away.
  Timeline timeline(const Program& program, const FoldedWorld& world) &&;

 private:
  std::vector<std::vector<Span>> spans_;    // per actor
  std::vector<std::vector<HostGap>> gaps_;  // per actor
};

}  // namespace quintet
