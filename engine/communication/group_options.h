// The groups that a rank runs its program's collectives in, and by which algorithm.
#pragma once

#include <vector>

#include "engine/network/collectives/rank_group.h"
#include "sim/program/program.h"
#include "sim/topology/host_layout.h"

namespace quintet::engine {

// seats: of every rank; empty: all on one host.
HostLayout layout_of(const std::vector<Rank>& members, const std::vector<Seat>& seats);

// Levels and order as the layout has them, for algorithms that care; where hosts have different
// numbers of members all are on one level.
GroupOptions group_options(CommunicatorId id, const quintet::Communicator& communicator,
                           const std::vector<Rank>& members, const HostLayout& layout);

}  // namespace quintet::engine
