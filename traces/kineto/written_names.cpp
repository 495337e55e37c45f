#include "traces/kineto/written_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>

#include "sim/timeline/chrome_trace/trace_text.h"
#include "traces/json_stream/decimal_numbers.h"

namespace quintet::kineto {
namespace {

struct KindWords {
  std::string_view kernel, operation, range;
};

KindWords words_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return {"AllReduce", "allreduce", "all_reduce"};
    case CollectiveKind::reduce_scatter:
      return {"ReduceScatter", "_reduce_scatter_base", "_reduce_scatter_base"};
    case CollectiveKind::all_gather:
      return {"AllGather", "_allgather_base", "_all_gather_base"};
    case CollectiveKind::broadcast:
      return {"Broadcast", "broadcast", "broadcast"};
    case CollectiveKind::reduce:
      return {"Reduce", "reduce", "reduce"};
    case CollectiveKind::all_to_all:
      return {"SendRecv", "all_to_all", "all_to_all"};
  }
  return {};
}

KindWords words_of(const SpanInfo& info, const TaskPeers& peers) {
  if (info.kind == SpanKind::send) return {"SendRecv", "send", "send"};
  if (info.kind == SpanKind::receive) return {"SendRecv", "recv", "recv"};
  return words_of(peers.collective);
}

struct TypeWords {
  std::string_view pytorch, nccl;
};

TypeWords words_of(DataType type) {
  switch (type) {
    case DataType::fp32:
    case DataType::tf32:  // a way to multiply, in memory the same
      return {"Float", "f32"};
    case DataType::fp16:
      return {"Half", "f16"};
    case DataType::bf16:
      return {"BFloat16", "bf16"};
    case DataType::fp8:
      return {"Float8_e4m3fn", "f8e4m3"};
    case DataType::int32:
      return {"Int", "i32"};
    case DataType::int8:
      return {"Char", "i8"};
  }
  return {};
}

bool reduces(const SpanInfo& info, const TaskPeers& peers) {
  return info.kind == SpanKind::collective && (peers.collective == CollectiveKind::all_reduce ||
                                               peers.collective == CollectiveKind::reduce ||
                                               peers.collective == CollectiveKind::reduce_scatter);
}

// "ring LL128, 16 channels" -> "_RING_LL128"
std::string way_of(const std::string& detail) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 10> words{{
      {"ring", "_RING"},
      {"collnet-direct", "_COLLNET_DIRECT"},
      {"collnet-chain", "_COLLNET_CHAIN"},
      {"nvls-tree", "_NVLS_TREE"},
      {"nvls", "_NVLS"},
      {"tree", "_TREE"},
      {"pat", "_PAT"},
      {"LL128", "_LL128"},
      {"LL", "_LL"},
      {"simple", "_SIMPLE"},
  }};
  std::string way;
  const std::string_view text = std::string_view(detail).substr(0, detail.find(','));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    for (const auto& [said, in_name] : words)
      if (text.substr(begin, end - begin) == said) way += in_name;
    begin = end + 1;
  }
  return way;
}

struct Elements {
  std::int64_t in = 0, out = 0;
  std::string_view type;
};

// What a rank passes and gets, of the full buffer. A size that is no whole number of elements is
// told in bytes.
Elements elements_of(const SpanInfo& info, const TaskPeers& peers, std::int64_t ranks) {
  const double count = info.size.value / size_of(peers.type).value;
  const bool whole = count == std::floor(count) && count < 0x1p62;
  const auto full = whole ? static_cast<std::int64_t>(count)
                          : static_cast<std::int64_t>(std::min(info.size.value, 0x1p62));
  Elements elements{full, full, whole ? words_of(peers.type).pytorch : "Byte"};
  if (info.kind != SpanKind::collective || ranks < 1) return elements;
  if (peers.collective == CollectiveKind::all_gather) elements.in = full / ranks;
  if (peers.collective == CollectiveKind::reduce_scatter) elements.out = full / ranks;
  return elements;
}

}  // namespace

std::vector<std::int64_t> stream_numbers(const Workload& workload) {
  std::set<std::int64_t> taken;
  std::vector<std::int64_t> numbers(workload.lanes.size(), -1);
  for (std::size_t lane = 0; lane < numbers.size(); ++lane) {
    std::string_view name = workload.lanes[lane].name;
    if (!name.starts_with("stream ")) continue;
    name.remove_prefix(7);
    const auto number = json_stream::integer_of(name);
    if (number && *number >= 0 && taken.insert(*number).second) numbers[lane] = *number;
  }
  std::int64_t next = 7;
  for (std::int64_t& number : numbers) {
    if (number >= 0) continue;
    while (taken.contains(next)) ++next;
    taken.insert(number = next);
  }
  return numbers;
}

std::string rank_list(const std::vector<int>& ranks) {
  return fmt::format("[{}]", fmt::join(ranks, ", "));
}

std::vector<std::string> group_names(const Workload& workload, const WorkloadRank& rank) {
  std::vector<std::string> names(workload.groups.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const WorkloadGroup& group = workload.groups[i];
    const bool is_in = std::find(group.members.begin(), group.members.end(), rank.rank.value) !=
                       group.members.end();
    if (!is_in) continue;
    const bool is_new =
        !group.name.empty() && std::find(names.begin(), names.end(), group.name) == names.end();
    names[i] = is_new ? group.name : fmt::format("{} ({})", group.name, i);
  }
  return names;
}

std::string kernel_name(const SpanInfo& info, const TaskPeers* peers) {
  if (!is_communication(info.kind)) return info.name;
  if (peers == nullptr) return "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)";
  std::string name = fmt::format("ncclDevKernel_{}", words_of(info, *peers).kernel);
  if (reduces(info, *peers)) name += fmt::format("_Sum_{}", words_of(peers->type).nccl);
  return name + way_of(info.detail) + "(ncclDevKernelArgsStorage<4096ul>)";
}

std::string range_name(const SpanInfo& info, const TaskPeers& peers) {
  return fmt::format("nccl:{}", words_of(info, peers).range);
}

int channels_in(const std::string& detail) {
  const std::size_t end = detail.find(" channels");
  if (end == std::string::npos) return 0;
  const std::size_t space = detail.rfind(' ', end - 1);
  const std::size_t begin = end == 0 || space == std::string::npos ? 0 : space + 1;
  return std::max(0, std::atoi(detail.c_str() + begin));
}

std::string communication_arguments(const Workload& workload, const WorkloadRank& rank,
                                    const WorkloadTask& task,
                                    const std::vector<std::string>& groups) {
  if (task.peers < 0) return {};
  const SpanInfo& info = workload.infos[static_cast<std::size_t>(task.info)];
  const TaskPeers& peers = rank.peers[static_cast<std::size_t>(task.peers)];
  std::string name, messages;
  std::vector<int> members;
  if (info.kind == SpanKind::collective) {
    if (peers.group < 0) return {};
    name = groups[static_cast<std::size_t>(peers.group)];
    members = workload.groups[static_cast<std::size_t>(peers.group)].members;
  } else {
    const int peer = workload.ranks[static_cast<std::size_t>(peers.peer)].rank.value;
    members = {std::min(peer, rank.rank.value), std::max(peer, rank.rank.value)};
    name = fmt::format("ranks {} and {}{}", members[0], members[1],
                       peers.tag == 0 ? "" : fmt::format(", tag {}", peers.tag));
    messages =
        fmt::format(", \"{}\": {}", info.kind == SpanKind::send ? "Dst Rank" : "Src Rank", peer);
  }
  const Elements elements = elements_of(info, peers, static_cast<std::int64_t>(members.size()));
  return fmt::format(
      R"("Collective name": "{}", "In msg nelems": {}, "Out msg nelems": {}, "Group size": {}, )"
      R"("dtype": "{}", "In split size": "[]", "Out split size": "[]", )"
      R"("Process Group Name": {}, "Process Group Description": {}, )"
      R"("Process Group Ranks": "{}", "Rank": {}, "Seq": {}{})",
      words_of(info, peers).operation, elements.in, elements.out, members.size(), elements.type,
      json_string(name), json_string(name_of(info.axis)), rank_list(members), rank.rank.value,
      peers.sequence, messages);
}

}  // namespace quintet::kineto
