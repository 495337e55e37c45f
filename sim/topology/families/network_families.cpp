#include <algorithm>
#include <array>
#include <cassert>

#include "sim/json/json_fields.h"
#include "sim/topology/families/network_family.h"
#include "sim/topology/recipe/recipe.h"

namespace quintet {

extern const NetworkFamily single_switch, fat_tree, rail_optimised, explicit_graph, torus,
    direct_connect;

namespace {

const NetworkFamily none{"none", [](JsonObject&) { return std::unique_ptr<NetworkRecipe>(); }};

constexpr std::array<const NetworkFamily*, 7> families{
    &none, &single_switch, &fat_tree, &rail_optimised, &explicit_graph, &torus, &direct_connect};

}  // namespace

std::span<const NetworkFamily* const> network_families() {
  return families;
}

const NetworkFamily& family_of(const Topology& topology) {
  const auto found = std::find_if(
      families.begin(), families.end(),
      [&](const NetworkFamily* family) { return family->name == topology.network.family; });
  assert(found != families.end());
  return **found;
}

void read_network(JsonObject& network, TopologyRecipe& recipe) {
  std::vector<std::string_view> names;
  for (const NetworkFamily* family : families) names.push_back(family->name);
  const std::size_t family =
      network.word({"family", "how hosts are joined"}, names, JsonObject::Need::required)
          .value_or(0);
  recipe.family = names[family];
  recipe.protocol = network.one_of<NetworkProtocol>({"protocol", "that the wires speak"},
                                                    {{"infiniband", NetworkProtocol::infiniband},
                                                     {"roce", NetworkProtocol::roce},
                                                     {"tcp", NetworkProtocol::tcp}});
  recipe.reduces = network.boolean_or(
      {"in_network_reduction", "its switches add what passes through them (SHARP, SwitchML)"},
      false);
  recipe.network = families[family]->read(network);
  network.refuse_unknown_keys();
}

}  // namespace quintet
