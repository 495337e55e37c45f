// Devices and links as the file lists them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sim/json/json_fields.h"
#include "sim/topology/families/network_family.h"
#include "sim/topology/families/torus.h"
#include "sim/topology/recipe/device_graph.h"
#include "sim/topology/recipe/fields.h"
#include "sim/topology/recipe/recipe.h"

namespace quintet {
namespace {

struct ListedDevice {
  Device device;
  Part part;
  Watts power;
};

struct ListedLink {
  std::string from, to;
  LinkKind kind = LinkKind::network;
  WireRecipe there, back;
};

using Parts = std::map<std::string, std::string, std::less<>>;  // name -> source
using Names = std::unordered_map<std::string, DeviceId>;

std::string at(const char* list, std::size_t index) {
  return fmt::format("network.{}[{}]", list, index);
}

Names names_of(const DeviceGraph& graph) {
  Names names;
  for (std::size_t i = 0; i < graph.devices().size(); ++i)
    names.emplace(graph.devices()[i].name, id_at<DeviceId>(i));
  return names;
}

// Rank slots and NICs are also listed by their host, numbered in order of appearance.
void enlist(Topology& topology, Device& device, DeviceId id, std::map<int, int>& switches) {
  if (!device.host.valid()) {
    device.ordinal = switches[device.tier]++;
    return;
  }
  Host& host = topology.hosts[device.host.index()];
  const bool slot =
      device.kind == DeviceKind::gpu ||
      (device.kind == DeviceKind::cpu && topology.gpu_spec_of_host[device.host.index()] < 0);
  if (!slot && device.kind != DeviceKind::nic) return;
  std::vector<DeviceId>& list = slot ? host.gpus : host.nics;
  device.ordinal = static_cast<int>(list.size());
  list.push_back(id);
}

std::optional<Error> add_device(DeviceGraph& graph, const ListedDevice& listed, Names& names,
                                Topology& topology, std::map<int, int>& switches,
                                std::string place) {
  Device device = listed.device;
  const DeviceId id = id_at<DeviceId>(graph.devices().size());
  if (!names.emplace(device.name, id).second)
    return Error{std::move(place), "the name \"" + device.name + "\" is taken; give it another"};
  if (device.host.valid() && device.host.index() >= topology.hosts.size())
    return Error{std::move(place), fmt::format("host {} does not exist; there are {}",
                                               device.host.value, topology.hosts.size())};
  if (device.kind == DeviceKind::gpu && topology.gpu_spec_of_host[device.host.index()] < 0)
    return Error{std::move(place), "a host without a \"gpu\" specification cannot have a GPU"};
  enlist(topology, device, id, switches);
  device.part = graph.part(listed.part);
  graph.add(std::move(device));
  return std::nullopt;
}

std::optional<Error> add_link(DeviceGraph& graph, const ListedLink& link, const Names& names,
                              const std::string& place) {
  const auto from = names.find(link.from);
  const auto to = names.find(link.to);
  if (from == names.end() || to == names.end())
    return Error{place, "there is no device \"" + (from == names.end() ? link.from : link.to) +
                            "\"; devices of hosts are named like \"host0/nic0\""};
  if (from->second == to->second) return Error{place, "joins a device with itself"};
  graph.connect(from->second, to->second, link.kind, link.there, link.back);
  return std::nullopt;
}

Parts read_parts(JsonObject& network) {
  Parts parts;
  if (network.record({"parts",
                      "explicit: what devices and links are made of, and where its numbers "
                      "come from"},
                     FieldKind::named_texts))
    return parts;
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
  const std::string name = object.text({"part", "one of parts"});
  const auto found = parts.find(name);
  if (found != parts.end()) return {found->first, found->second};
  object.fail("part", "\"" + name + "\" is not among \"parts\", which say where numbers come from");
  return {};
}

ListedDevice read_device(JsonObject& object, const Parts& parts) {
  ListedDevice listed;
  Device& device = listed.device;
  device.name = object.text({"name", "of the device"});
  device.kind = object.one_of<DeviceKind>("kind", {{"network_switch", DeviceKind::network_switch},
                                                   {"gpu", DeviceKind::gpu},
                                                   {"cpu", DeviceKind::cpu},
                                                   {"nvswitch", DeviceKind::nvswitch},
                                                   {"pcie_switch", DeviceKind::pcie_switch},
                                                   {"nic", DeviceKind::nic}});
  const bool fabric = device.kind == DeviceKind::network_switch;
  if (fabric) device.tier = object.integer_or({"tier", "of a switch, from the hosts up"}, 1, 1, 16);
  if (fabric) listed.power = object.has("power") ? bounded_power(object, "power") : Watts{};
  if (fabric) object.raw("power");
  if (!fabric)
    device.host = HostId{object.integer({"host", "whose device it is, from 0"}, 0, 1 << 24)};
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
  link.from = object.text({"from", "device; those of hosts are like host0/nic0"});
  link.to = object.text({"to", "device"});
  link.kind = object.one_of_or<LinkKind>("kind", LinkKind::network,
                                         {{"network", LinkKind::network},
                                          {"nvlink", LinkKind::nvlink},
                                          {"pcie", LinkKind::pcie},
                                          {"socket", LinkKind::socket}});
  const Part part = named_part(object, parts);
  link.there = link.back = read_direction(object, part);
  if (object.has("back")) {
    JsonObject back = object.object({"back", "the other direction, where it differs"});
    link.back = read_direction(back, part);
    back.refuse_unknown_keys();
    object.adopt(back);
  }
  object.raw("back");
  object.refuse_unknown_keys();
  return link;
}

class ExplicitGraph final : public NetworkRecipe {
 public:
  explicit ExplicitGraph(JsonObject& network) {
    const Parts parts = read_parts(network);
    for (JsonObject& device : network.objects_or_empty({"devices", "explicit: one by one"})) {
      devices_.push_back(read_device(device, parts));
      network.adopt(device);
    }
    for (JsonObject& link : network.objects_or_empty({"links", "explicit: one by one"})) {
      links_.push_back(read_link(link, parts));
      network.adopt(link);
    }
    grid_ = network.integers_or(
        {"grid",
         "explicit: nodes in x, y and z of a torus, whose switches are listed x fastest and "
         "whose links go the positive way: it routes by dimensions"},
        {}, 1, 1 << 17);
    if (network.recording())
      network.record({"power", "explicit: of all switches, beside their own"}, FieldKind::power);
    else if (network.has("power"))
      power_ = bounded_power(network, "power");
    check_grid(network);
  }

  Result<NetworkSize> size(const TopologyRecipe& recipe) const override {
    if (recipe.oversubscription)
      return Error{"oversubscription",
                   "is of a family of networks; this one lists its links: change network.links"};
    return NetworkSize{static_cast<std::int64_t>(devices_.size()),
                       2 * static_cast<std::int64_t>(links_.size())};
  }

  std::optional<Error> add(DeviceGraph& graph, const TopologyRecipe&,
                           Topology& topology) const override {
    Names names = names_of(graph);
    std::map<int, int> switches;  // numbered inside their tiers
    for (std::size_t i = 0; i < devices_.size(); ++i)
      if (auto error = add_device(graph, devices_[i], names, topology, switches, at("devices", i)))
        return error;
    for (const ListedDevice& listed : devices_) topology.network_power += listed.power;
    topology.network_power += power_;
    topology.network.sizes = grid_;
    for (std::size_t i = 0; i < links_.size(); ++i)
      if (auto error = add_link(graph, links_[i], names, at("links", i))) return error;
    return std::nullopt;
  }

  std::optional<Error> fault(const DeviceGraph& graph) const override {
    const std::optional<DeviceId> cut = graph.unreachable_switch();
    if (!cut) return std::nullopt;
    return Error{"network.links", "not connected: the switches do not all reach \"" +
                                      graph.devices()[cut->index()].name +
                                      "\" over other switches (hosts do not forward)"};
  }

  bool lists_devices() const override { return true; }

 private:
  static constexpr std::size_t most_nodes = 1 << 30;  // more than can be listed

  // Routes along a grid take the cable to each neighbour for granted.
  void check_grid(JsonObject& network) const {
    if (grid_.empty()) return;
    std::set<std::pair<std::string, std::string>> cables;
    for (const ListedLink& link : links_) cables.insert({link.from, link.to});
    std::vector<std::string> nodes;
    for (const ListedDevice& listed : devices_)
      if (listed.device.kind == DeviceKind::network_switch) nodes.push_back(listed.device.name);
    for (const ListedDevice& listed : devices_)
      if (listed.device.tier > 1)
        return network.fail("grid", listed.device.name + " has a tier; nodes of a torus have none");
    std::size_t all = 1;
    for (const int each : grid_) all = std::min(all * static_cast<std::size_t>(each), most_nodes);
    if (grid_.size() != 3 || all != nodes.size())
      return network.fail(
          "grid", fmt::format("expected three sizes whose product is the {} switches listed",
                              nodes.size()));
    std::size_t stride = 1;
    for (const int each : grid_) {
      const auto size = static_cast<std::size_t>(each);
      for (std::size_t node = 0; size > 1 && node < nodes.size(); ++node) {
        const std::size_t place = node / stride % size;
        const std::size_t next = node + stride * ((place + 1) % size) - stride * place;
        if (next >= nodes.size() || !cables.contains({nodes[node], nodes[next]}))
          return network.fail("grid",
                              "\"links\" lack the cable from " + nodes[node] + " to its neighbour");
      }
      stride *= size;
    }
  }

  std::vector<ListedDevice> devices_;
  std::vector<ListedLink> links_;
  std::vector<int> grid_;
  Watts power_;
};

}  // namespace

extern const NetworkFamily explicit_graph{
    "explicit",
    [](JsonObject& network) -> std::unique_ptr<NetworkRecipe> {
      return std::make_unique<ExplicitGraph>(network);
    },
    &dimension_ordered};

}  // namespace quintet
