#include "engine/nccl/nccl_check.h"

#include <string_view>

namespace quintet::engine {

std::optional<NcclTrouble> trouble(const NcclFunctions& nccl, const std::string& where,
                                   const std::string& call, ncclResult_t result,
                                   ncclComm_t communicator) {
  if (result == ncclSuccess) return std::nullopt;
  const char* const last = nccl.get_last_error(communicator);
  std::string what = call + ": " + nccl.get_error_string(result);
  if (last != nullptr && !std::string_view(last).empty()) what += " (" + std::string(last) + ")";
  return NcclTrouble{{where, what}, result == ncclRemoteError || result == ncclSystemError};
}

NcclTrouble own_trouble(const std::string& where, const std::string& what) {
  return {{where, what}, false};
}

std::string nccl_version_text(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace quintet::engine
