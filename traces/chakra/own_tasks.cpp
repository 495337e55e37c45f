#include "traces/chakra/own_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

#include "traces/chakra/node_order.h"

namespace quintet::chakra {

namespace {

constexpr std::array own_collectives{
    std::pair{CollectiveType::all_reduce, CollectiveKind::all_reduce},
    std::pair{CollectiveType::reduce, CollectiveKind::reduce},
    std::pair{CollectiveType::all_gather, CollectiveKind::all_gather},
    std::pair{CollectiveType::broadcast, CollectiveKind::broadcast},
    std::pair{CollectiveType::all_to_all, CollectiveKind::all_to_all},
    std::pair{CollectiveType::reduce_scatter, CollectiveKind::reduce_scatter},
};

using RankIndex = std::unordered_map<std::int64_t, std::int32_t>;

std::optional<std::string> take_peer(TaskPeers& peers, const Node& node, const RankIndex& ranks) {
  if (node.type == NodeType::collective) {
    for (const auto& [type, kind] : own_collectives)
      if (static_cast<std::int64_t>(type) == node.collective)
        return peers.collective = kind, std::nullopt;
    return fmt::format("comm_type is {}, which Quintet does not write", node.collective);
  }
  const std::int64_t rank = node.type == NodeType::send ? node.destination : node.source;
  if (rank < 0) return {};
  const auto found = ranks.find(rank);
  if (found == ranks.end())
    return fmt::format("is with rank {}, which the tables do not have", rank);
  peers.peer = found->second;
  return {};
}

class OwnRank {
 public:
  OwnRank(const RankNodes& nodes, const RankIndex& ranks) : nodes_(nodes), ranks_(ranks) {}

  Result<WorkloadRank> read() {
    const Result<OrderedNodes> order = ordered(nodes_);
    if (!order) return order.error();
    rank_.rank = Rank{nodes_.rank};
    rank_.stage = static_cast<int>(nodes_.stage);
    rank_.role = nodes_.role;
    rank_.host = nodes_.host;
    for (const std::int32_t at : order->order) {
      const Node& node = nodes_.nodes[static_cast<std::size_t>(at)];
      if (const auto wrong = take(node))
        return Error{fmt::format("{}: node {}", nodes_.where, node.id),
                     *wrong + "; write the file again"};
    }
    take_order(*order);
    return std::move(rank_);
  }

 private:
  std::optional<std::string> take(const Node& node);
  std::optional<std::string> take_peers(WorkloadTask& task, const Node& node);
  void take_order(const OrderedNodes& order);

  const RankNodes& nodes_;
  const RankIndex& ranks_;
  WorkloadRank rank_;
};

std::optional<std::string> OwnRank::take_peers(WorkloadTask& task, const Node& node) {
  const Tables& tables = *nodes_.tables;
  std::int64_t index = node.own.peers;
  if (index < 0) index = static_cast<std::int64_t>(rank_.peers.size());
  if (index >= static_cast<std::int64_t>(nodes_.nodes.size()))
    return fmt::format("quintet_peers is {}; expected less than there are nodes", index);
  if (node.own.group >= static_cast<std::int64_t>(tables.groups.size()))
    return fmt::format("quintet_group is {} of {}", node.own.group, tables.groups.size());
  TaskPeers peers;
  if (auto wrong = take_peer(peers, node, ranks_)) return wrong;
  peers.type = node.own.type;
  peers.group = static_cast<std::int32_t>(node.own.group);
  peers.sequence = node.own.sequence;
  peers.tag = node.own.tag;
  task.peers = static_cast<std::int32_t>(index);
  rank_.peers.resize(std::max(rank_.peers.size(), static_cast<std::size_t>(index) + 1));
  rank_.peers[static_cast<std::size_t>(index)] = peers;
  return {};
}

std::optional<std::string> OwnRank::take(const Node& node) {
  const OwnFacts& own = node.own;
  if (own.info < 0 || own.info >= static_cast<std::int64_t>(nodes_.tables->infos.size()))
    return fmt::format("quintet_info is {} of {}", own.info, nodes_.tables->infos.size());
  WorkloadTask& task = rank_.tasks.emplace_back();
  task.info = static_cast<std::int32_t>(own.info);
  task.work = {own.work};
  task.start = {own.start};
  task.moving = {own.moving};
  task.end = {own.end};
  task.layer = static_cast<std::int32_t>(own.layer);
  task.micro_batch = static_cast<std::int32_t>(own.micro_batch);
  task.chunk = static_cast<std::int16_t>(own.chunk);
  task.bucket = static_cast<std::int16_t>(own.bucket);
  const bool is_copy = node.type == NodeType::memory_load;  // whose tensor_size is what it copies
  task.flops = Flops{own.flops.value_or(static_cast<double>(node.operations))};
  task.touched = Bytes{own.touched.value_or(is_copy ? 0 : static_cast<double>(node.tensor_size))};
  const bool communicates = node.type == NodeType::send || node.type == NodeType::receive ||
                            node.type == NodeType::collective;
  return communicates ? take_peers(task, node) : std::nullopt;
}

// Of ctrl_deps the order of lanes is known already; others came in later and count.
void OwnRank::take_order(const OrderedNodes& order) {
  const Tables& tables = *nodes_.tables;
  std::vector<std::int32_t> last(tables.lanes.size(), -1);
  for (std::size_t i = 0; i < rank_.tasks.size(); ++i) {
    const auto lane =
        static_cast<std::size_t>(tables.infos[static_cast<std::size_t>(rank_.tasks[i].info)].lane);
    const auto data_end = order.after_begin[i] + order.by_data[i];
    for (auto k = order.after_begin[i]; k < order.after_begin[i + 1]; ++k) {
      const std::int32_t task = order.after[static_cast<std::size_t>(k)];
      if (k < data_end || !tables.lanes_in_order || task != last[lane]) rank_.after.push_back(task);
    }
    rank_.after_begin.push_back(static_cast<std::int32_t>(rank_.after.size()));
    last[lane] = static_cast<std::int32_t>(i);
  }
}

std::optional<Error> misfit(std::span<const RankNodes> ranks) {
  const RankNodes& first = ranks.front();
  std::unordered_map<std::int64_t, bool> there;
  for (const RankNodes& rank : ranks) {
    there[rank.rank] = true;
    if (!rank.tables || *rank.tables != *first.tables)
      return Error{rank.where, fmt::format("is of another workload than {}; give the files of one",
                                           first.where)};
  }
  for (const std::int32_t rank : first.tables->ranks)
    if (!there.contains(rank))
      return Error{first.where,
                   fmt::format("is one of {} ranks' files; that of rank {} is missing: "
                               "give all of them",
                               first.tables->ranks.size(), rank)};
  if (ranks.size() > first.tables->ranks.size())
    return Error{first.where, fmt::format("is one of {} ranks' files, {} were given; give those of "
                                          "the workload's ranks only",
                                          first.tables->ranks.size(), ranks.size())};
  return {};
}

}  // namespace

Result<Workload> own_workload(std::span<const RankNodes> ranks) {
  if (auto wrong = misfit(ranks)) return *wrong;
  const Tables& tables = *ranks.front().tables;
  RankIndex index;
  for (std::size_t i = 0; i < tables.ranks.size(); ++i)
    index.emplace(tables.ranks[i], static_cast<std::int32_t>(i));
  Workload workload{.name = tables.name,
                    .world_size = tables.world_size,
                    .recorded = tables.recorded,
                    .lanes_in_order = tables.lanes_in_order,
                    .end = tables.end,
                    .lanes = tables.lanes,
                    .infos = tables.infos,
                    .groups = tables.groups,
                    .remarks = tables.remarks};
  workload.ranks.resize(tables.ranks.size());
  for (const RankNodes& nodes : ranks) {
    Result<WorkloadRank> rank = OwnRank(nodes, index).read();
    if (!rank) return rank.error();
    workload.ranks[static_cast<std::size_t>(index.at(nodes.rank))] = std::move(*rank);
  }
  return workload;
}

}  // namespace quintet::chakra
