// tree: NCCL's double binary tree over hosts, a chain inside each (double_tree.cpp has the shape).
// Each tree carries half of the buffer in pieces, up with sums and down with results.
//
//   three hosts of two, the first tree; sums go up, results come back down:
//
//      3 -> 2 -> 4 -> 0 <- 1       a piece goes up as soon as all below have delivered it,
//                ^                 and down once the root has it
//                5
//
// Terms of an element are added from the leaves up; the two halves of the buffer by two trees.
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "sim/ccl/algorithms/channels.h"
#include "sim/ccl/algorithms/collective_algorithm.h"

namespace quintet {

namespace {

// A tree over hosts becomes one over ranks: local 0 stands for its host, the others hang below it
// as a chain.
std::vector<TreeNode> with_chains(const std::vector<TreeNode>& hosts, int per_host) {
  std::vector<TreeNode> tree;
  for (const TreeNode& host : hosts) {
    for (int local = 0; local < per_host; ++local) {
      const int rank = static_cast<int>(tree.size());
      TreeNode node;
      if (local > 0) node.parent = rank - 1;
      if (local == 0 && host.parent >= 0) node.parent = host.parent * per_host;
      if (local + 1 < per_host) node.children.push_back(rank + 1);
      if (local == 0)
        for (const int child : host.children) node.children.push_back(child * per_host);
      tree.push_back(std::move(node));
    }
  }
  return tree;
}

int root_of(const std::vector<TreeNode>& tree) {
  const auto root =
      std::find_if(tree.begin(), tree.end(), [](const TreeNode& node) { return node.parent < 0; });
  return static_cast<int>(root - tree.begin());
}

// Ranks from the root down: every rank after its parent.
std::vector<int> downwards(const std::vector<TreeNode>& tree) {
  std::vector<int> order{root_of(tree)};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::vector<int>& children = tree[static_cast<std::size_t>(order[i])].children;
    order.insert(order.end(), children.begin(), children.end());
  }
  return order;
}

struct Levels {
  std::vector<int> height, depth;
  int top = 0;  // the root's height
};

Levels levels_of(const std::vector<TreeNode>& tree) {
  Levels levels{std::vector<int>(tree.size(), 0), std::vector<int>(tree.size(), 0)};
  const std::vector<int> order = downwards(tree);
  for (const int rank : order)
    for (const int child : tree[static_cast<std::size_t>(rank)].children)
      levels.depth[static_cast<std::size_t>(child)] =
          levels.depth[static_cast<std::size_t>(rank)] + 1;
  for (auto rank = order.rbegin(); rank != order.rend(); ++rank) {
    int& height = levels.height[static_cast<std::size_t>(*rank)];
    for (const int child : tree[static_cast<std::size_t>(*rank)].children)
      height = std::max(height, levels.height[static_cast<std::size_t>(child)] + 1);
  }
  levels.top = levels.height[static_cast<std::size_t>(order.front())];
  return levels;
}

// A piece goes up as soon as all below have delivered it, and down once the root has it.
void pipeline(Schedule& schedule, const std::vector<TreeNode>& tree, int pieces, int first_chunk) {
  const Levels levels = levels_of(tree);
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    const int parent = tree[at].parent;
    if (parent < 0) continue;
    for (int piece = 0; piece < pieces; ++piece) {
      const int chunk = first_chunk + piece;
      const int down = levels.top + levels.depth[at] - 1 + piece;
      schedule.transfers.push_back(
          {levels.height[at] + piece, rank, parent, chunk, Effect::reduce});
      schedule.transfers.push_back({down, parent, rank, chunk, Effect::copy});
    }
  }
}

int log2_floor(std::size_t value) {
  return static_cast<int>(std::bit_width(value)) - 1;
}

// One piece, one segment.
Schedule scheduled(const ScheduledGroup& group) {
  const double pieces = std::ceil(std::floor(group.size.value / 2) / group.segment.value);
  return in_order(double_tree_schedule(group.ranks() / group.inside(), group.inside(),
                                       std::max(1, static_cast<int>(pieces))),
                  group);
}

std::vector<TrafficPhase> tree_traffic(CollectiveKind kind, const HostLayout& layout) {
  const Channels channels(layout);
  EdgeSum sum;
  add_chains(sum, channels);
  add_double_tree(sum, channels);
  const int chain_edges = static_cast<int>(layout.hosts.front().size()) - 1;
  return {sum.phase(kind, 2 * (chain_edges + log2_floor(layout.hosts.size())))};
}

double protocol_bandwidth(const TunerCell& cell, double capped) {
  const double ll128_share = cell.shape.nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0;
  switch (cell.protocol) {
    case Protocol::ll:
      return std::min(capped / 3.8, ll_total(cell));
    case Protocol::ll128:
      return std::min(capped * ll128_share,
                      cell.shape.tree.channels * cell.of(cell.tables.tree_ll128));
    case Protocol::simple:
      return capped;
  }
  assert(false);
  return capped;
}

double bandwidth(const TunerCell& cell) {
  const double capped = std::min(0.92 * graph_bandwidth(cell, cell.shape.tree),
                                 cell.shape.tree.channels * cell.of(cell.tables.tree));
  return 0.5 * (protocol_bandwidth(cell, capped) * (cell.shape.one_nic_owner ? 0.85 : 1.0));
}

double latency(const TunerCell& cell) {
  return 2 * ((cell.per_node() - 1) * local_latency(cell) +
              depth_over_nodes(cell) * network_latency(cell));
}

constexpr NcclCost cost{
    .protocols = NcclCost::Protocols::all,
    .possible = [](const TunerCell&) { return true; },
    .bandwidth = bandwidth,
    .latency = latency,
    .channels = usual_channels,
    .bandwidth_correction =
        [](const TunerCell& cell, Bytes size) {
          return tree_correction(cell, size, cell.tables.tree_corrections);
        },
};

}  // namespace

Schedule double_tree_schedule(int hosts, int ranks_per_host, int pieces) {
  assert(hosts >= 1 && ranks_per_host >= 1 && pieces >= 1);
  Schedule schedule{
      .kind = CollectiveKind::all_reduce, .ranks = hosts * ranks_per_host, .chunks = 2 * pieces};
  const DoubleTree trees = double_tree(hosts);
  pipeline(schedule, with_chains(trees.first, ranks_per_host), pieces, 0);
  pipeline(schedule, with_chains(trees.second, ranks_per_host), pieces, pieces);
  std::stable_sort(schedule.transfers.begin(), schedule.transfers.end(),
                   [](const Transfer& a, const Transfer& b) { return a.step < b.step; });
  if (!schedule.transfers.empty()) schedule.steps = schedule.transfers.back().step + 1;
  return schedule;
}

extern constinit const CollectiveAlgorithm tree_row{
    .algorithm = Algorithm::tree,
    .kinds = {CollectiveKind::all_reduce},
    .crossing = CollectiveAlgorithm::Crossing::by_levels,
    .executed = {CollectiveKind::all_reduce},
    .executed_on = uniform,
    .schedule = scheduled,
    .traffic = tree_traffic,
    .nccl = &cost,
};

}  // namespace quintet
