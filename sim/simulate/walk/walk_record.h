// What every class of ranks did in a step, as it is simulated, and the Timeline that comes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/program/program.h"
#include "sim/simulate/fold/world.h"
#include "sim/timeline/timeline.h"

namespace quintet {

class WalkRecord {
 public:
  // `tasks`: per actor; each becomes one span.
  explicit WalkRecord(const std::vector<std::size_t>& tasks);

  void add(const Span& span) { spans_[ends_[static_cast<std::size_t>(span.track)]++] = span; }
  // The actor's compute lane could go on, but the CPU had not launched what comes next.
  void add_gap(std::int32_t actor, Instant from, Instant to) {
    gaps_[static_cast<std::size_t>(actor)].push_back({actor, from, to});
  }

  // Tracks are the actors, spans of each in order of start. Gives its spans away. Every task has
  // been added.
  Timeline timeline(const Program& program, const FoldedWorld& world) &&;

 private:
  std::vector<Span> spans_;  // by actor, where they stay: a long step has gigabytes of them
  std::vector<std::size_t> begins_, ends_;  // per actor: of those there are
  std::vector<std::vector<HostGap>> gaps_;  // per actor
};

// The names of a program's instructions (sim/timeline/program_infos.h), collectives with how they
// go: "ring LL128, 16 channels".
// One per instruction of the InstructionTable, in its order. `patterns`: its communication pattern,
// -1: none.
std::vector<SpanInfo> span_infos(const Program& program, const Communications& communications,
                                 const std::vector<std::int32_t>& patterns);

}  // namespace quintet
