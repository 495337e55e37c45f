// The only place that looks at NCCL's return codes.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "engine/nccl/nccl_functions.h"
#include "engine/peers/peers.h"
#include "sim/base/result.h"

namespace quintet::engine {

struct NcclTrouble {
  Error error;  // where, the call, NCCL's words for the code and for what happened last
  // NCCL only saw a connection break: another rank may have died, and is the one to be named.
  bool perhaps_another_rank = false;
};

// Nothing where all is well or still under way (ncclInProgress).
std::optional<NcclTrouble> trouble(const NcclFunctions& nccl, const std::string& where,
                                   const std::string& call, ncclResult_t result,
                                   ncclComm_t communicator);

// A call on a communicator that does not block.
struct NcclCall {
  std::string where;  // for the error
  std::string call;
  ncclComm_t communicator = nullptr;
  int ranks = 1;  // of the communicator
};
// What does not block goes on in the background; until it is over nothing else may be asked of the
// communicator, and the stream does not hold it yet. Waits for that, or for the job's failure.
std::optional<NcclTrouble> settled(const NcclFunctions& nccl, const Peers& peers,
                                   const NcclCall& call, ncclResult_t result,
                                   std::chrono::milliseconds within);

// One that this rank made itself.
NcclTrouble own_trouble(const std::string& where, const std::string& what);

// "2.28.9"
std::string nccl_version_text(int version);

}  // namespace quintet::engine
