#include "sim/topology/network_file.h"

#include <cmath>
#include <map>
#include <utility>

#include "sim/base/json_fields.h"
#include "sim/topology/fields.h"

namespace quintet {
namespace {

constexpr int most_ports = 1 << 20;
constexpr int most_uplinks = 4096;  // per switch; also parallel cables
constexpr int most_planes = 16;

using Parts = std::map<std::string, std::string, std::less<>>;  // name -> source

SwitchRecipe read_switch(JsonObject& network, std::string_view key) {
  JsonObject object = network.object(key);
  SwitchRecipe recipe;
  recipe.part.name = object.text("name");
  recipe.ports = object.integer("ports", 1, most_ports);
  recipe.power = bounded_power(object, "power");
  recipe.part.source = source_of(object);
  object.refuse_unknown_keys();
  network.adopt(object);
  return recipe;
}

SwitchRecipe read_switch_or(JsonObject& network, std::string_view key, SwitchRecipe fallback) {
  return network.has(key) ? read_switch(network, key) : (network.raw(key), fallback);
}

WireRecipe read_child_wire(JsonObject& network, std::string_view key,
                           WireRecipe (*read)(JsonObject&)) {
  JsonObject object = network.object(key);
  WireRecipe wire = read(object);
  object.refuse_unknown_keys();
  network.adopt(object);
  return wire;
}

void read_single_switch(JsonObject& network, NetworkRecipe& recipe) {
  recipe.leaf = read_switch(network, "switch");
  recipe.host_link = read_child_wire(network, "host_link", read_latency_only);
}

void read_switches_and_wires(JsonObject& network, NetworkRecipe& recipe) {
  recipe.leaf = read_switch(network, "switch");
  recipe.spine = read_switch_or(network, "spine_switch", recipe.leaf);
  recipe.core = read_switch_or(network, "core_switch", recipe.spine);
  recipe.host_link = read_child_wire(network, "host_link", read_latency_only);
  recipe.trunk = read_child_wire(network, "trunk", read_wire);
}

void read_sizing(JsonObject& network, TreeRecipe& tree) {
  tree.tiers = network.integer_or("tiers", 2, 2, 3);
  tree.oversubscription = network.number_or("oversubscription", 1.0);
  if (!(tree.oversubscription > 0.0 && tree.oversubscription <= most_uplinks))
    network.fail("oversubscription", "expected leaf ports down / up, more than 0 and at most " +
                                         std::to_string(most_uplinks));
  if (const int uplinks = network.integer_or("leaf_uplinks", 0, 1, most_uplinks); uplinks > 0)
    tree.leaf_uplinks = uplinks;
  if (tree.leaf_uplinks && network.has("oversubscription"))
    network.fail("leaf_uplinks", "says the same as \"oversubscription\"; give one of them");
}

void read_fat_tree(JsonObject& network, NetworkRecipe& recipe) {
  read_switches_and_wires(network, recipe);
  TreeRecipe& tree = recipe.tree;
  const bool counts = network.has("children") || network.has("parents") || network.has("cables");
  if (!counts) {
    read_sizing(network, tree);
    for (const char* key : {"children", "parents", "cables"}) network.raw(key);
    return;
  }
  tree.children = network.integers_or("children", {}, 1, most_uplinks);
  tree.parents = network.integers_or("parents", {}, 1, most_uplinks);
  tree.cables =
      network.integers_or("cables", std::vector<int>(tree.children.size(), 1), 1, most_uplinks);
  if (tree.children.empty())
    network.fail("children",
                 "is missing or empty, expected how many switches or NICs hang on a "
                 "switch of each tier, such as [4, 4]");
}

void read_rail_optimised(JsonObject& network, NetworkRecipe& recipe) {
  read_switches_and_wires(network, recipe);
  read_sizing(network, recipe.tree);
  recipe.tree.hosts_per_leaf = network.integer("hosts_per_leaf", 1, most_ports);
  recipe.tree.planes = network.integer_or("planes", 1, 1, most_planes);
}

Parts read_parts(JsonObject& network) {
  Parts parts;
  JsonObject object = network.object("parts");
  if (const nlohmann::json* const raw = network.raw("parts"); raw != nullptr && raw->is_object())
    for (const auto& [name, source] : raw->items()) {
      parts[name] = object.text(name);
      if (parts[name].empty()) object.fail(name, "is empty: say where the numbers come from");
    }
  network.adopt(object);
  return parts;
}

Part named_part(JsonObject& object, const Parts& parts) {
  const std::string name = object.text("part");
  const auto found = parts.find(name);
  if (found != parts.end()) return {found->first, found->second};
  object.fail("part", "\"" + name + "\" is not among \"parts\", which say where numbers come from");
  return {};
}

ListedDevice read_device(JsonObject& object, const Parts& parts) {
  ListedDevice listed;
  Device& device = listed.device;
  device.name = object.text("name");
  device.kind = object.one_of<DeviceKind>("kind", {{"network_switch", DeviceKind::network_switch},
                                                   {"gpu", DeviceKind::gpu},
                                                   {"cpu", DeviceKind::cpu},
                                                   {"nvswitch", DeviceKind::nvswitch},
                                                   {"pcie_switch", DeviceKind::pcie_switch},
                                                   {"nic", DeviceKind::nic}});
  const bool fabric = device.kind == DeviceKind::network_switch;
  if (fabric) device.tier = object.integer_or("tier", 1, 1, 16);
  if (fabric) listed.power = object.has("power") ? bounded_power(object, "power") : Watts{};
  if (fabric) object.raw("power");
  if (!fabric) device.host = HostId{object.integer("host", 0, 1 << 24)};
  listed.part = named_part(object, parts);
  object.refuse_unknown_keys();
  return listed;
}

// There and back alike unless "back" says otherwise.
WireRecipe read_direction(JsonObject& object, const Part& part) {
  WireRecipe wire{bounded_bandwidth(object, "bandwidth"), bounded_latency(object, "latency"), part};
  if (object.has("extra_latency")) wire.latency += bounded_latency(object, "extra_latency");
  object.raw("extra_latency");
  return wire;
}

ListedLink read_link(JsonObject& object, const Parts& parts) {
  ListedLink link;
  link.from = object.text("from");
  link.to = object.text("to");
  link.kind = object.one_of_or<LinkKind>("kind", LinkKind::network,
                                         {{"network", LinkKind::network},
                                          {"nvlink", LinkKind::nvlink},
                                          {"pcie", LinkKind::pcie},
                                          {"socket", LinkKind::socket}});
  const Part part = named_part(object, parts);
  link.there = link.back = read_direction(object, part);
  if (object.has("back")) {
    JsonObject back = object.object("back");
    link.back = read_direction(back, part);
    back.refuse_unknown_keys();
    object.adopt(back);
  }
  object.raw("back");
  object.refuse_unknown_keys();
  return link;
}

void read_explicit(JsonObject& network, NetworkRecipe& recipe) {
  const Parts parts = read_parts(network);
  for (JsonObject& device : network.objects_or_empty("devices")) {
    recipe.devices.push_back(read_device(device, parts));
    network.adopt(device);
  }
  for (JsonObject& link : network.objects_or_empty("links")) {
    recipe.links.push_back(read_link(link, parts));
    network.adopt(link);
  }
}

void read_family(JsonObject& network, NetworkRecipe& recipe) {
  switch (recipe.family) {
    case NetworkFamily::none:
      return;
    case NetworkFamily::single_switch:
      return read_single_switch(network, recipe);
    case NetworkFamily::fat_tree:
      return read_fat_tree(network, recipe);
    case NetworkFamily::rail_optimised:
      return read_rail_optimised(network, recipe);
    case NetworkFamily::explicit_graph:
      return read_explicit(network, recipe);
  }
}

}  // namespace

NetworkRecipe read_network(JsonObject& network) {
  NetworkRecipe recipe;
  recipe.family =
      network.one_of<NetworkFamily>("family", {{"none", NetworkFamily::none},
                                               {"single_switch", NetworkFamily::single_switch},
                                               {"fat_tree", NetworkFamily::fat_tree},
                                               {"rail_optimised", NetworkFamily::rail_optimised},
                                               {"explicit", NetworkFamily::explicit_graph}});
  recipe.protocol =
      network.one_of<NetworkProtocol>("protocol", {{"infiniband", NetworkProtocol::infiniband},
                                                   {"roce", NetworkProtocol::roce},
                                                   {"tcp", NetworkProtocol::tcp}});
  read_family(network, recipe);
  network.refuse_unknown_keys();
  return recipe;
}

}  // namespace quintet
