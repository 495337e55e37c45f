#include "traces/trace/waiting_calls.h"

#include <array>

namespace quintet {
namespace {

struct WaitingCall {
  std::string_view name;
  RecordedWait::Kind kind;
};

}  // namespace

std::string_view without_version(std::string_view name) {
  const std::size_t at = name.rfind("_v");
  if (at == std::string_view::npos || at + 2 == name.size()) return name;
  const bool is_version = name.find_first_not_of("0123456789", at + 2) == std::string_view::npos;
  return is_version ? name.substr(0, at) : name;
}

std::optional<RecordedWait::Kind> wait_named(std::string_view name) {
  using enum RecordedWait::Kind;
  constexpr std::array<WaitingCall, 8> calls{{{"cudaDeviceSynchronize", device},
                                              {"cuCtxSynchronize", device},
                                              {"cudaStreamSynchronize", stream},
                                              {"cuStreamSynchronize", stream},
                                              {"cudaEventSynchronize", event},
                                              {"cuEventSynchronize", event},
                                              {"cudaStreamWaitEvent", stream_waits_event},
                                              {"cuStreamWaitEvent", stream_waits_event}}};
  for (const std::string_view suffix : {"_ptsz", "_ptds"})
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  for (const WaitingCall& call : calls)
    if (call.name == name) return call.kind;
  return std::nullopt;
}

}  // namespace quintet
