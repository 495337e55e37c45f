// Ranks' nodes -> the job's workload.
#pragma once

#include <vector>

#include "sim/base/result.h"
#include "traces/chakra/chakra_node.h"

namespace quintet::chakra {

// Files that do not tell their rank count on from 0 in the order given. Fails at ranks that come
// twice, and where a file's nodes do (node_order.h, own_tasks.h).
Result<Workload> workload_of(std::vector<RankNodes> ranks, const std::vector<NamedGroup>& groups);

}  // namespace quintet::chakra
