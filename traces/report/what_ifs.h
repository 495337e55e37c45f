// What a step could be rid of, and what it would be without, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "traces/report/diagnosis.h"
#include "traces/report/retimed.h"

namespace quintet {

struct WhatIf {
  FindingKind kind = FindingKind::slow_ranks;
  std::vector<std::int32_t> ranks;  // by index; none: all
  std::size_t index = 0;            // into Diagnosis::slow_places or small_collectives
  Change change;
};

struct Removed {
  WhatIf what;
  Duration saved;  // beyond what those before it saved
};

struct Removal {
  std::vector<Removed> removed;
  Changes changes;  // all of them together
};

// As diagnosis.h says; `diagnosis` has all but findings and path. What saves less than `least` is
// left out.
Removal remove_causes(const Timeline& timeline, const StepGraph& graph, const Diagnosis& diagnosis,
                      Duration least);

}  // namespace quintet
