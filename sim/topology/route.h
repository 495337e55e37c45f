// A way through the machine: what several layers add links to, and what is priced at the end.
#pragma once

#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace quintet {

// A share of a flow on a link: 1 on a single path; with spraying, or several queue pairs, parts of
// it.
struct RouteShare {
  LinkId link;
  double share = 1.0;
  bool operator==(const RouteShare&) const = default;
};

struct Route {
  std::vector<RouteShare> links;  // in order from the source; shares of a link named twice add
  Seconds latency;                // of the longest path taken
  bool operator==(const Route&) const = default;
};

}  // namespace quintet
