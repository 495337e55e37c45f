// Collectives that are so small that most of their time is latency, and could have been fewer.
#pragma once

#include <cstdint>
#include <vector>

#include "traces/report/collectives.h"
#include "traces/report/retimed.h"
#include "traces/report/step_graph.h"

namespace quintet {

struct SmallCollectives {
  std::size_t group = 0;     // index into the groups' collectives
  std::int64_t count = 0;    // below `worth`, which nothing between them needs
  Bytes bytes;               // of these
  double latency_share = 0;  // of their time
  // At this size latency is a fifth of a collective's time.
  Bytes worth;
  std::int64_t merged = 0;  // what they would be in pieces of that
  Duration saved;           // of their own time, by the fit
  Change change;
};

// Of groups with a fit: eight such collectives or more, half of whose time is latency. Two may be
// merged where nothing that computes or copies on a rank waits for the first and starts before the
// second does.
std::vector<SmallCollectives> small_collectives(const Timeline& timeline,
                                                const std::vector<Exchange>& exchanges,
                                                const std::vector<GroupCollectives>& groups,
                                                const StepGraph& graph);

}  // namespace quintet
