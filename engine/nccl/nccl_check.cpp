#include "engine/nccl/nccl_check.h"

#include <string_view>
#include <thread>

namespace quintet::engine {

namespace {

constexpr std::chrono::microseconds pause{100};

}  // namespace

std::optional<NcclTrouble> trouble(const NcclFunctions& nccl, const std::string& where,
                                   const std::string& call, ncclResult_t result,
                                   ncclComm_t communicator) {
  if (result == ncclSuccess || result == ncclInProgress) return std::nullopt;
  const char* const last = nccl.get_last_error(communicator);
  std::string what = call + ": " + nccl.get_error_string(result);
  if (last != nullptr && !std::string_view(last).empty()) what += " (" + std::string(last) + ")";
  return NcclTrouble{{where, what}, result == ncclRemoteError || result == ncclSystemError};
}

std::optional<NcclTrouble> settled(const NcclFunctions& nccl, const Peers& peers,
                                   const NcclCall& call, ncclResult_t result,
                                   std::chrono::milliseconds within) {
  const auto found = [&](const std::string& name, ncclResult_t answer) {
    return trouble(nccl, call.where, name, answer, call.communicator);
  };
  if (auto wrong = found(call.call, result)) return wrong;
  const auto deadline = std::chrono::steady_clock::now() + within;
  for (ncclResult_t state = result; state == ncclInProgress;) {
    if (const auto failure = peers.failure()) return NcclTrouble{*failure, true};
    const ncclResult_t asked = nccl.get_async_error(call.communicator, &state);
    if (auto wrong = found("ncclCommGetAsyncError", asked)) return wrong;
    if (auto wrong = found(call.call, state)) return wrong;
    if (state == ncclInProgress && std::chrono::steady_clock::now() > deadline)
      return own_trouble(call.where, call.call + ": not over within " +
                                         std::to_string(within.count()) + " ms, on " +
                                         std::to_string(call.ranks) + " ranks");
    if (state == ncclInProgress) std::this_thread::sleep_for(pause);
  }
  return std::nullopt;
}

NcclTrouble own_trouble(const std::string& where, const std::string& what) {
  return {{where, what}, false};
}

std::string nccl_version_text(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace quintet::engine
