// Whether a timeline's ranks are on one clock as far as its messages can tell.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/timeline/timeline.h"

namespace quintet {

struct CausalityBreak {
  std::size_t send = 0, receive = 0;  // index into Timeline::spans
  Duration by;                        // the receive ended so long before its send began
  bool operator==(const CausalityBreak&) const = default;
};

// Receives that ended before their send began, by more than `bound`; in order of the receives.
std::vector<CausalityBreak> causality_breaks(const Timeline& timeline, Duration bound);

// A sentence for people, if there are any beyond what the timeline says its clocks are apart.
std::optional<std::string> causality_warning(const Timeline& timeline);

}  // namespace quintet
