// When a recorded rank's device did nothing because its next task had not been launched yet.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/timeline/timeline.h"
#include "traces/workload/workload.h"

namespace quintet {

// Of each time in which nothing runs on any lane of the rank but its threads', until the call that
// launched the next task to run has returned; none where the workload does not tell that call. In
// order of time, apart from one another. What waits for a peer on a stream is no such gap: that is
// communication, whatever the CPU does meanwhile.
std::vector<HostGap> launch_gaps(const Workload& workload, std::int32_t rank);

}  // namespace quintet
