// What every class of ranks did in a step, as it is simulated, and the Timeline that comes of it.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/program/program.h"
#include "sim/simulate/fold/world.h"
#include "sim/timeline/timeline.h"

namespace quintet {

class WalkRecord {
 public:
  explicit WalkRecord(std::size_t actors) : spans_(actors), gaps_(actors) {}

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

// The names of a program's instructions (sim/timeline/program_infos.h), collectives with how they
// go: "ring LL128, 16 channels".
// One per instruction of the InstructionTable, in its order. `patterns`: its communication pattern,
// -1: none.
std::vector<SpanInfo> span_infos(const Program& program, const Communications& communications,
                                 const std::vector<std::int32_t>& patterns);

}  // namespace quintet
