// A fat tree: leaves are filled host by host. By ports, or by counts as XGFT (tree.h).
#include "sim/json/json_fields.h"
#include "sim/topology/families/tree_network.h"

namespace quintet {
namespace {

void read_counts(JsonObject& network, TreeRecipe& tree) {
  tree.children = network.integers_or(
      {"children", "fat tree by counts (XGFT): per tier, what hangs on a switch"}, {}, 1,
      most_uplinks);
  tree.parents = network.integers_or(
      {"parents", "fat tree by counts: per tier, switches above each"}, {}, 1, most_uplinks);
  tree.cables = network.integers_or(
      {"cables", "fat tree by counts: per tier, parallel cables to each parent"},
      std::vector<int>(tree.children.size(), 1), 1, most_uplinks);
  if (tree.children.empty())
    network.fail("children",
                 "is missing or empty, expected how many switches or NICs hang on a "
                 "switch of each tier, such as [4, 4]");
}

std::unique_ptr<NetworkRecipe> read_fat_tree(JsonObject& network) {
  TreeRecipe tree = read_tree_parts(network);
  const bool counts = network.has("children") || network.has("parents") || network.has("cables");
  if (counts) {
    read_counts(network, tree);
  } else {
    read_tree_sizing(network, tree);
    for (const char* key : {"children", "parents", "cables"}) network.raw(key);
  }
  return std::make_unique<TreeNetwork>(std::move(tree));
}

}  // namespace

extern const NetworkFamily fat_tree{"fat_tree", &read_fat_tree};

}  // namespace quintet
