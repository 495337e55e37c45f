#include "traces/chakra/rank_tasks.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace quintet::chakra {

namespace {

constexpr std::int64_t per_microsecond = 1'000'000;  // picoseconds
constexpr auto longest =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() / per_microsecond);

bool communicates(const Node& node) {
  return !node.on_cpu && (node.type == NodeType::send || node.type == NodeType::receive ||
                          node.type == NodeType::collective);
}

SpanKind kind_of(const Node& node) {
  switch (node.type) {
    case NodeType::memory_load:
    case NodeType::memory_store:
      return SpanKind::copy;
    case NodeType::compute:
      return node.on_cpu ? SpanKind::host : SpanKind::compute;
    case NodeType::send:
      return node.on_cpu ? SpanKind::host : SpanKind::send;
    case NodeType::receive:
      return node.on_cpu ? SpanKind::host : SpanKind::receive;
    case NodeType::collective:
      return node.on_cpu ? SpanKind::host : SpanKind::collective;
    case NodeType::invalid:
    case NodeType::metadata:
      return SpanKind::host;
  }
  return SpanKind::host;
}

LaneInfo lane_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::compute:
      return {LaneKind::compute, "compute"};
    case SpanKind::collective:
      return {LaneKind::communication, "collectives"};
    case SpanKind::send:
      return {LaneKind::communication, "sends"};
    case SpanKind::receive:
      return {LaneKind::communication, "receives"};
    case SpanKind::copy:
      return {LaneKind::copy, "copies"};
    case SpanKind::host:
      return {LaneKind::host, "host"};
  }
  return {};
}

// 0 microseconds of a kernel that says nothing else are less than one; of what a simulator would
// price, nothing that was measured.
Duration work_of(const Node& node, SpanKind kind) {
  if (node.duration_micros > 0)
    return {static_cast<std::int64_t>(node.duration_micros) * per_microsecond};
  const bool is_priced =
      is_communication(kind) || kind == SpanKind::copy ||
      (kind == SpanKind::compute && (node.operations > 0 || node.tensor_size > 0));
  return {is_priced ? -1 : 0};
}

// What a collective is here, and what it was where that has no kind here.
struct Kind {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::string_view instead_of{};
};

bool is_known(const Node& node) {
  return node.collective >= 0 && node.collective < collective_types;
}

Kind collective_kind(const Node& node) {
  if (!is_known(node)) return {CollectiveKind::all_reduce, "unknown kind"};
  switch (static_cast<CollectiveType>(node.collective)) {
    case CollectiveType::all_reduce:
      return {CollectiveKind::all_reduce};
    case CollectiveType::reduce:
      return {CollectiveKind::reduce};
    case CollectiveType::all_gather:
      return {CollectiveKind::all_gather};
    case CollectiveType::gather:
      return {CollectiveKind::reduce, "gather"};
    case CollectiveType::scatter:
      return {CollectiveKind::broadcast, "scatter"};
    case CollectiveType::broadcast:
      return {CollectiveKind::broadcast};
    case CollectiveType::all_to_all:
      return {CollectiveKind::all_to_all};
    case CollectiveType::reduce_scatter:
    case CollectiveType::reduce_scatter_block:
      return {CollectiveKind::reduce_scatter};
    case CollectiveType::barrier:
      return {CollectiveKind::all_reduce, "barrier"};
  }
  return {};
}

}  // namespace

SpanInfo RankTasks::info(const Node& node) {
  SpanInfo info;
  info.work = OperatorKind::kernel;
  info.name = node.name.empty() ? fmt::format("node {}", node.id) : node.name;
  info.kind = kind_of(node);
  LaneInfo lane = lane_of(info.kind);
  if (node.stream >= 0 && info.kind != SpanKind::host)
    lane.name = fmt::format("stream {}", node.stream);
  info.lane = tables_.lane(lane.kind, lane.name);
  if (is_communication(info.kind)) info.size = Bytes{static_cast<double>(node.size)};
  if (info.kind == SpanKind::copy) {
    info.size = Bytes{static_cast<double>(node.tensor_size > 0 ? node.tensor_size : node.size)};
    info.detail = node.type == NodeType::memory_load ? "load" : "store";
  }
  if (info.kind != SpanKind::collective) return info;
  const Kind kind = collective_kind(node);
  info.detail = kind.instead_of;
  if (!is_known(node))
    ++peculiarities_.unknown_kinds;
  else if (!kind.instead_of.empty())
    ++peculiarities_.other_kinds;
  // All ranks' inputs together, as nccl-tests has it.
  if (kind.kind == CollectiveKind::all_gather)
    info.size = info.size * static_cast<double>(groups_[groups_.index(node.group)].named);
  return info;
}

WorkloadTask RankTasks::task(const Node& node) {
  const SpanInfo what = info(node);
  WorkloadTask task;
  task.info = tables_.info(what);
  task.work = work_of(node, what.kind);
  if (what.kind == SpanKind::compute) {
    task.flops = Flops{static_cast<double>(node.operations)};
    task.touched = Bytes{static_cast<double>(node.tensor_size)};
  }
  if (node.type == NodeType::collective && node.on_cpu) ++peculiarities_.calls_on_cpu;
  if (node.type == NodeType::collective && node.on_some_dimensions)
    ++peculiarities_.some_dimensions;
  if (node.type == NodeType::invalid) ++peculiarities_.invalid;
  return task;
}

Meeting RankTasks::meeting(const Node& node, std::size_t rank, std::size_t task,
                           std::int64_t own_rank) const {
  Meeting meeting;
  meeting.rank = static_cast<std::int32_t>(rank);
  meeting.task = static_cast<std::int32_t>(task);
  meeting.kind = kind_of(node);
  if (meeting.kind == SpanKind::collective) {
    meeting.collective = collective_kind(node).kind;
    meeting.group = groups_.index(node.group);
    return meeting;
  }
  meeting.peer_rank = meeting.kind == SpanKind::send ? node.destination : node.source;
  meeting.tag = node.tag;
  const auto peer = rank_index_.find(meeting.peer_rank);
  if (peer != rank_index_.end() && meeting.peer_rank != own_rank) meeting.peer = peer->second;
  return meeting;
}

Result<WorkloadRank> RankTasks::of(const RankNodes& nodes, std::vector<Meeting>& meetings) {
  Result<OrderedNodes> order = ordered(nodes);
  if (!order) return order.error();
  peculiarities_.control_left_out += order->control_left_out;
  peculiarities_.unknown_types += nodes.unknown_types;
  const auto index = static_cast<std::size_t>(rank_index_.at(nodes.rank));
  WorkloadRank rank;
  rank.rank = Rank{nodes.rank};
  rank.tasks.reserve(order->order.size());
  for (const std::int32_t at : order->order) {
    const Node& node = nodes.nodes[static_cast<std::size_t>(at)];
    if (node.duration_micros > longest)
      return Error{fmt::format("{}: node {}", nodes.where, node.id),
                   fmt::format("duration_micros is {}; expected at most {}, which is 106 days",
                               node.duration_micros, longest)};
    if (communicates(node)) meetings.push_back(meeting(node, index, rank.tasks.size(), nodes.rank));
    rank.tasks.push_back(task(node));
  }
  rank.after_begin = std::move(order->after_begin);
  rank.after = std::move(order->after);
  return rank;
}

}  // namespace quintet::chakra
