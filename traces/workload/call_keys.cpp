#include "traces/workload/call_keys.h"

namespace quintet {

std::int32_t CallKeys::trace_of(int rank) const {
  for (std::size_t trace = 0; trace < ranks_.size(); ++trace)
    if (ranks_[trace] == rank) return static_cast<std::int32_t>(trace);
  return -1;
}

CallKey CallKeys::counted(bool message, std::int32_t first, std::int32_t second) {
  return {message, first, second, counts_[{message, first, second}]++};
}

std::optional<CallKey> CallKeys::next(const RecordedCommunication& of) {
  if (collective_of(of.kind)) {
    const std::int32_t group = group_of(groups_, trace_, of);
    if (group < 0) return std::nullopt;
    return counted(false, group, 0);
  }
  const bool sends = of.kind == CommunicationKind::send;
  if (!sends && of.kind != CommunicationKind::receive) return std::nullopt;
  const std::int32_t peer = trace_of(of.peer), own = static_cast<std::int32_t>(trace_);
  if (of.peer < 0 || peer < 0) return std::nullopt;
  return counted(true, sends ? own : peer, sends ? peer : own);
}

}  // namespace quintet
