// All NICs on one switch.
#include "sim/topology/families/single_switch.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "sim/json/json_fields.h"
#include "sim/topology/families/tree_network.h"
#include "sim/topology/recipe/fields.h"

namespace quintet {
namespace {

class SingleSwitch final : public TreeNetwork {
 public:
  using TreeNetwork::TreeNetwork;

 private:
  Result<TreeRecipe> tree_for(const TopologyRecipe& recipe) const override {
    if (recipe.oversubscription.value_or(1.0) == 1.0) {
      TopologyRecipe plain;
      plain.groups = recipe.groups;
      return TreeNetwork::tree_for(plain);
    }
    return Error{"oversubscription",
                 "one switch has no uplinks; the only ratio is 1: use a \"fat_tree\" for others"};
  }

  Result<TreeSize> tree_size_for(const TreeRecipe& tree, int hosts, int nics) const override {
    const std::int64_t endpoints = std::int64_t{hosts} * nics;
    const int ports = tree.leaf.ports;
    if (endpoints <= ports) return TreeSize{1, 1, ports};
    return Error{
        "switch.ports",
        fmt::format(
            "{} NICs do not fit on one switch of {} ports; use a \"fat_tree\" or more ports",
            endpoints, ports)};
  }
};

std::unique_ptr<NetworkRecipe> read_single_switch(JsonObject& network) {
  SwitchRecipe all = read_switch(network, "switch");
  return one_switch(std::move(all), read_wire_of(network, "host_link", read_latency_only));
}

}  // namespace

std::unique_ptr<NetworkRecipe> one_switch(SwitchRecipe all, WireRecipe host_link) {
  TreeRecipe tree;
  tree.leaf = std::move(all);
  tree.host_link = std::move(host_link);
  return std::make_unique<SingleSwitch>(std::move(tree));
}

extern const NetworkFamily single_switch{"single_switch", &read_single_switch};

}  // namespace quintet
