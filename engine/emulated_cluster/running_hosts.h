// Whether ranks can be started in a network that has just been made.
#pragma once

#include <optional>

#include "engine/emulated_cluster/layout.h"
#include "engine/emulated_cluster/namespaces.h"
#include "sim/base/result.h"

namespace quintet::engine {

// Waits until every host's interface runs. The kernel notices on its own time that the other end of
// a cable is up: within milliseconds as a rule, but where both ends have one number in their
// namespaces (as those of the first cable have) and the queue was added before it looked, it looks
// again only a second later. A rank that opens the interface before has no network: UCX leaves out
// what does not run. The error names the host.
std::optional<Error> wait_for_hosts(const ClusterLayout& layout, const Namespaces& namespaces);

}  // namespace quintet::engine
