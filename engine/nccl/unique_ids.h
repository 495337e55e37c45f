// The secret by which the members of an NCCL communicator find each other, made by the first of
// them and told to the others.
#pragma once

#include <string>
#include <vector>

#include "engine/nccl/nccl_functions.h"
#include "engine/peers/peers.h"
#include "sim/base/result.h"

namespace quintet::engine {

// Called by every member (in the same order of communicators where ranks share several); waits for
// the first. The error names the communicator.
Result<ncclUniqueId> shared_unique_id(const NcclFunctions& nccl, Peers& peers,
                                      const std::vector<Rank>& members, const std::string& name);

}  // namespace quintet::engine
