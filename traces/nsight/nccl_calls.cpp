#include "traces/nsight/nccl_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/units.h"
#include "traces/nccl/nccl_words.h"

namespace quintet::nsight {
namespace {

using enum CommunicationKind;

bool is_message(CommunicationKind kind) {
  return kind == send || kind == receive;
}

std::int64_t sum_of(const std::vector<NcclCall>& calls, CommunicationKind kind) {
  std::int64_t sum = 0;
  for (const NcclCall& call : calls) {
    if (call.kind != kind) continue;
    if (call.bytes < 0) return -1;
    sum = saturating_sum(sum, call.bytes);
  }
  return sum;
}

std::int64_t count_of(const std::vector<NcclCall>& calls, CommunicationKind kind) {
  return std::count_if(calls.begin(), calls.end(),
                       [&](const NcclCall& call) { return call.kind == kind; });
}

// What one kernel does that does what all these calls asked for.
NcclCall together(const std::vector<NcclCall>& calls, std::int64_t ranks) {
  NcclCall made = calls.front();
  const std::int64_t sends = count_of(calls, send), receives = count_of(calls, receive);
  const auto count = static_cast<std::int64_t>(calls.size());
  if (sends + receives < count) {
    const std::int64_t same = count_of(calls, made.kind);
    made.bytes = same == count ? sum_of(calls, made.kind) : -1;
    if (same != count) made.kind = unknown;
  } else if (sends == receives && sends == ranks && ranks > 1) {
    made.kind = all_to_all;  // as programs write it, which NCCL long had no call for
    made.bytes = sum_of(calls, send) < 0 ? -1 : sum_of(calls, send) / ranks;
  } else if (sends > 0 && receives > 0) {
    made.kind = send_and_receive;
    made.bytes = std::max(sum_of(calls, send), sum_of(calls, receive));
  } else {
    made.bytes = sum_of(calls, made.kind);
  }
  for (const NcclCall& call : calls) {
    if (call.communicator != made.communicator) made.communicator.reset();
    if (call.peer != made.peer) made.peer = -1;
  }
  return made;
}

}  // namespace

std::optional<NcclCall> nccl_call_named(std::string_view name) {
  if (!name.starts_with("nccl")) return std::nullopt;
  NcclCall call;
  if (name == "ncclGroupStart") return call.call = NcclCall::Kind::group_start, call;
  if (name == "ncclGroupEnd") return call.call = NcclCall::Kind::group_end, call;
  // "nccl:all_reduce" is PyTorch's range round it.
  if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") !=
      std::string_view::npos)
    return std::nullopt;
  call.kind = communication_named(name);
  return call.kind == unknown ? std::nullopt : std::optional(call);
}

void NcclCalls::add_kernel(std::int64_t correlation, std::int32_t facts) {
  kernels_.emplace(correlation, facts);
}

// Outside a group each call is a unit; the calls of a group are one, whose time is that of the last
// ncclGroupEnd.
std::vector<NcclCalls::Unit> NcclCalls::units_of(std::vector<NcclCall>& calls) {
  std::stable_sort(calls.begin(), calls.end(), [](const NcclCall& left, const NcclCall& right) {
    return left.start < right.start;
  });
  std::vector<Unit> units;
  std::vector<NcclCall> in_group;
  std::int64_t depth = 0;
  for (const NcclCall& call : calls) {
    switch (call.call) {
      case NcclCall::Kind::group_start:
        ++depth;
        break;
      case NcclCall::Kind::group_end:
        depth = std::max<std::int64_t>(depth - 1, 0);
        if (depth == 0 && !in_group.empty())
          units.push_back({call.start, call.end, std::exchange(in_group, {})});
        break;
      case NcclCall::Kind::communication:
        if (depth == 0)
          units.push_back({call.start, call.end, {call}});
        else
          in_group.push_back(call);
        break;
    }
  }
  return units;
}

void NcclCalls::settle(TraceDraft& draft) {
  for (auto& [thread, launches] : launches_) {
    std::stable_sort(launches.begin(), launches.end(), [](const Launch& left, const Launch& right) {
      return left.start < right.start;
    });
    auto launch = launches.begin();
    for (const Unit& unit : units_of(calls_[thread])) {
      while (launch != launches.end() && launch->start < unit.start) ++launch;
      std::vector<std::int32_t> kernels;
      for (; launch != launches.end() && launch->start <= unit.end; ++launch) {
        const auto [first, last] = kernels_.equal_range(launch->correlation);
        for (auto kernel = first; kernel != last; ++kernel) kernels.push_back(kernel->second);
      }
      settle_unit(unit, kernels, draft);
    }
  }
}

void NcclCalls::settle_unit(const Unit& unit, const std::vector<std::int32_t>& kernels,
                            TraceDraft& draft) const {
  const auto& known = draft.trace().communications;
  const auto fits = [&](std::int32_t kernel, const NcclCall& call) {
    const CommunicationKind kind = known[static_cast<std::size_t>(kernel)].kind;
    return kind == call.kind || kind == unknown ||
           (kind == send_and_receive && is_message(call.kind));
  };
  if (kernels.size() == 1) return set_together(kernels.front(), unit, draft);
  if (unit.calls.size() == 1) {
    for (const std::int32_t kernel : kernels) set(kernel, unit.calls.front(), draft);
    return;
  }
  const bool one_each = kernels.size() == unit.calls.size() &&
                        std::equal(kernels.begin(), kernels.end(), unit.calls.begin(), fits);
  if (one_each)
    for (std::size_t i = 0; i < kernels.size(); ++i) set(kernels[i], unit.calls[i], draft);
  else if (!kernels.empty())
    draft.leave_out("sizes of NCCL kernels that a group launched in another number than its calls",
                    static_cast<std::int64_t>(kernels.size()));
}

void NcclCalls::set_member(std::uint64_t communicator, std::int64_t rank, std::int64_t ranks) {
  constexpr std::int64_t most = 1 << 30;
  if (ranks >= 1 && ranks <= most && rank >= 0 && rank < ranks)
    members_[communicator] = {static_cast<int>(rank), static_cast<int>(ranks)};
}

std::int64_t NcclCalls::ranks_of(const NcclCall& call) const {
  if (!call.communicator) return 0;
  const auto found = members_.find(*call.communicator);
  return found == members_.end() ? 0 : found->second.size;
}

void NcclCalls::set_together(std::int32_t facts, const Unit& unit, TraceDraft& draft) const {
  set(facts, together(unit.calls, ranks_of(unit.calls.front())), draft);
}

void NcclCalls::set(std::int32_t facts, const NcclCall& call, TraceDraft& draft) const {
  std::int32_t group = -1;
  if (call.communicator) {
    group = draft.group(fmt::format("0x{:x}", *call.communicator));
    ProcessGroup& made = draft.trace().groups[static_cast<std::size_t>(group)];
    if (const auto found = members_.find(*call.communicator); found != members_.end())
      made.size = found->second.size, made.description = member_text("", found->second);
  }
  RecordedCommunication& known = draft.trace().communications[static_cast<std::size_t>(facts)];
  if (call.kind != unknown) known.kind = call.kind;
  known.group = group;
  // NCCL counts peers in the communicator, whose ranks of the job nobody tells.
  const bool has_peer = is_message(call.kind) || call.kind == send_and_receive;
  if (has_peer && call.peer >= 0) known.detail = peer_text(call.peer);
  set_counted(known, call.bytes, std::nullopt, ranks_of(call));
}

}  // namespace quintet::nsight
