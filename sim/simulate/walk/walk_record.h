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
  WalkRecord(const std::vector<std::size_t>& tasks, std::size_t lanes);

  // The actor's lane takes a task up: its span has the next place.
  void begin(std::int32_t actor, std::size_t lane) {
    places_[place_of(actor, lane)] = ends_[static_cast<std::size_t>(actor)]++;
  }
  // The task that the lane took up last is over.
  void add(const Span& span, std::size_t lane) {
    const std::size_t place = places_[place_of(span.track, lane)];
    spans_[place] = span;
    ranks_[place] = added_++;
  }
  // The actor's compute lane could go on, but the CPU had not launched what comes next.
  void add_gap(std::int32_t actor, Instant from, Instant to) {
    gaps_[static_cast<std::size_t>(actor)].push_back({actor, from, to});
  }

  // Tracks are the actors, spans of each in order of start, those that start together in the order
  // in which they were added. Gives its spans away. Every task has been added.
  Timeline timeline(const Program& program, const FoldedWorld& world) &&;

 private:
  std::size_t place_of(std::int32_t actor, std::size_t lane) const {
    return static_cast<std::size_t>(actor) * lanes_ + lane;
  }
  void order_those_that_start_together();

  std::size_t lanes_;
  std::vector<Span> spans_;  // by actor, where they stay: a long step has gigabytes of them
  std::vector<std::uint32_t> ranks_;        // per span: how many were added before it
  std::vector<std::size_t> begins_, ends_;  // per actor: of those that have begun
  std::vector<std::size_t> places_;         // per actor and lane: of the span that is open
  std::uint32_t added_ = 0;
  std::vector<std::vector<HostGap>> gaps_;  // per actor
};

// The names of a program's instructions (sim/timeline/program_infos.h), collectives with how they
// go: "ring LL128, 16 channels".
// One per instruction of the InstructionTable, in its order. `patterns`: its communication pattern,
// -1: none.
std::vector<SpanInfo> span_infos(const Program& program, const Communications& communications,
                                 const std::vector<std::int32_t>& patterns);

}  // namespace quintet
