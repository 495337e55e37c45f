// The only place that looks at NCCL's return codes.
#pragma once

#include <optional>
#include <string>

#include "engine/nccl/nccl_functions.h"
#include "sim/base/result.h"

namespace quintet::engine {

struct NcclTrouble {
  Error error;  // where, the call, NCCL's words for the code and for what happened last
  // NCCL only saw a connection break: another rank may have died, and is the one to be named.
  bool perhaps_another_rank = false;
};

// Nothing where all is well. Communicators here block: "in progress" is none of their answers.
std::optional<NcclTrouble> trouble(const NcclFunctions& nccl, const std::string& where,
                                   const std::string& call, ncclResult_t result,
                                   ncclComm_t communicator);

// One that this rank made itself.
NcclTrouble own_trouble(const std::string& where, const std::string& what);

// "2.28.9"
std::string nccl_version_text(int version);

}  // namespace quintet::engine
