// The shape of NCCL's double binary tree (src/graph/trees.cc): two trees over the same nodes, so
// that a leaf of one is interior in the other and both directions of every link are used.
//
//   first, 8 nodes    0              second   7
//                     4                       3
//                   2   6                   5   1
//                  1 3 5 7                 6 4 2 0
#include <cassert>
#include <cstddef>

#include "sim/ccl/schedule.h"

namespace quintet {

namespace {

// Odd ranks are leaves, and the lowest set bit of a rank says how high it sits. Of the two ranks a
// level up beside it, the parent is the one whose next bit is set, or the other where that is not
// there:  x01 -> x10, x11 -> x10;  of 14 nodes 13 = 1101 -> 1100, as 1110 = 14 is beyond the last.
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

}  // namespace

DoubleTree double_tree(int nodes) {
  assert(nodes >= 1);
  DoubleTree trees{first_tree(nodes), {}};
  trees.second = second_tree(trees.first);
  return trees;
}

}  // namespace quintet
