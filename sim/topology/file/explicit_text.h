// A topology written as a file of its own: every device and every link, whatever family built it.
#pragma once

#include <string>

#include "sim/base/result.h"
#include "sim/topology/topology.h"

namespace quintet {

// read_topology() makes the same machine of it: the same devices and links in the same order, to
// the last bit, so that routes and predictions are the same. The closed forms of a family (tiers,
// oversubscription, bisection) are not in it. Fails where the file would be larger than what is
// read.
Result<std::string> explicit_text(const Topology& topology);

}  // namespace quintet
