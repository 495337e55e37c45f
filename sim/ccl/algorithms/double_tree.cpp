#include <algorithm>
#include <cassert>
#include <cstddef>

#include "sim/ccl/schedule.h"

namespace quintet {

namespace {

// NCCL's binary tree over 0 .. n-1 (src/graph/trees.cc): odd ranks are leaves, and the lowest set
// bit of a rank says how high it sits.
int parent_in_first(int rank, int nodes) {
  if (rank == 0) return -1;
  const int lowest = rank & -rank;
  const int below = rank ^ lowest;
  const int above = below | (2 * lowest);
  return above < nodes ? above : below;
}

std::vector<TreeNode> first_tree(int nodes) {
  std::vector<TreeNode> tree(static_cast<std::size_t>(nodes));
  for (int rank = 0; rank < nodes; ++rank) {
    const int parent = parent_in_first(rank, nodes);
    tree[static_cast<std::size_t>(rank)].parent = parent;
    if (parent >= 0) tree[static_cast<std::size_t>(parent)].children.push_back(rank);
  }
  return tree;
}

// The same tree with its ranks renamed so that leaves become interior: mirrored for an even number,
// shifted by one for an odd one.
std::vector<TreeNode> second_tree(const std::vector<TreeNode>& first) {
  const int nodes = static_cast<int>(first.size());
  const auto renamed = [&](int rank) {
    return nodes % 2 == 0 ? nodes - 1 - rank : (rank + 1) % nodes;
  };
  std::vector<TreeNode> tree(first.size());
  for (int rank = 0; rank < nodes; ++rank) {
    TreeNode node = first[static_cast<std::size_t>(rank)];
    if (node.parent >= 0) node.parent = renamed(node.parent);
    for (int& child : node.children) child = renamed(child);
    tree[static_cast<std::size_t>(renamed(rank))] = std::move(node);
  }
  return tree;
}

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

}  // namespace

DoubleTree double_tree(int nodes) {
  assert(nodes >= 1);
  DoubleTree trees{first_tree(nodes), {}};
  trees.second = second_tree(trees.first);
  return trees;
}

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

}  // namespace quintet
