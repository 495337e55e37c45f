// Networks that are trees of switches (single switch, fat tree, rail-optimised): read, sized,
// built.
#pragma once

#include <utility>

#include "sim/topology/families/network_family.h"
#include "sim/topology/families/tree.h"

namespace quintet {

class TreeNetwork : public NetworkRecipe {
 public:
  explicit TreeNetwork(TreeRecipe tree) : tree_(std::move(tree)) {}

  Result<NetworkSize> size(const TopologyRecipe& recipe) const override;
  std::optional<Error> add(DeviceGraph& graph, const TopologyRecipe& recipe,
                           Topology& topology) const override;

 protected:
  // For so many hosts with so many NICs each; errors name the field of the network object.
  virtual Result<TreeSize> tree_size_for(const TreeRecipe& tree, int hosts, int nics) const;
  // As the machine asks for it (TopologyRecipe::oversubscription); the error's place is complete.
  virtual Result<TreeRecipe> tree_for(const TopologyRecipe& recipe) const;

 private:
  Result<TreeSize> tree_size_of(const TreeRecipe& tree, const TopologyRecipe& recipe) const;

  TreeRecipe tree_;
};

inline constexpr int most_uplinks = 4096;  // per switch; also parallel cables

// Switches, host_link and trunk; and how many of them: tiers, oversubscription or leaf_uplinks.
TreeRecipe read_tree_parts(JsonObject& network);
void read_tree_sizing(JsonObject& network, TreeRecipe& tree);

}  // namespace quintet
