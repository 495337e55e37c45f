// Workloads of files that Quintet wrote.
#pragma once

#include <span>

#include "sim/base/result.h"
#include "traces/chakra/chakra_node.h"

namespace quintet::chakra {

// Fails where files are of different writings, a rank's is missing, or a node does not fit the
// tables.
Result<Workload> own_workload(std::span<const RankNodes> ranks);

}  // namespace quintet::chakra
