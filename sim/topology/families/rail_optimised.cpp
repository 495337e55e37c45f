// Rail-optimised: hosts in groups, NIC r of each host of a group on the group's leaf r.
#include "sim/json/json_fields.h"
#include "sim/topology/families/tree_network.h"

namespace quintet {
namespace {

constexpr int most_hosts_per_leaf = 1 << 20;
constexpr int most_planes = 16;

std::unique_ptr<NetworkRecipe> read_rail_optimised(JsonObject& network) {
  TreeRecipe tree = read_tree_parts(network);
  tree.by_rail = true;
  read_tree_sizing(network, tree);
  tree.hosts_per_leaf =
      network.integer({"hosts_per_leaf",
                       "rail-optimised: hosts of a group: NIC r of each is on the group's leaf r"},
                      1, most_hosts_per_leaf);
  tree.planes = network.integer_or(
      {"planes", "rail-optimised: separate trees; each NIC splits its rate over a port in each"}, 1,
      1, most_planes);
  return std::make_unique<TreeNetwork>(std::move(tree));
}

}  // namespace

extern const NetworkFamily rail_optimised{"rail_optimised", &read_rail_optimised};

}  // namespace quintet
