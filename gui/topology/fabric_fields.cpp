#include "gui/topology/fabric_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "gui/scenario/scenario_command.h"
#include "sim/topology/file/topology_file.h"
#include "sim/usage/shipped.h"

namespace quintet::gui {

namespace {

struct Known {
  const char* path;     // in the file
  const char* setting;  // behind --set
  const char* label;
};

constexpr std::array known{
    Known{"hosts", "hosts", "Hosts"},
    Known{"nics", "topology.nics", "NICs (rails) of a host"},
    Known{"host.nic.bandwidth", "host.nic.bandwidth", "Rate of a NIC"},
    Known{"oversubscription", "topology.oversubscription", "Oversubscription of a leaf"},
    Known{"network.switch.ports", "network.switch.ports", "Radix: ports of a leaf"},
    Known{"network.spine_switch.ports", "network.spine_switch.ports", "Radix: ports of a spine"},
    Known{"network.core_switch.ports", "network.core_switch.ports", "Radix: ports of a core"},
    Known{"network.hosts_per_leaf", "network.hosts_per_leaf", "Hosts of a rail group"},
    Known{"network.tiers", "network.tiers", "Tiers of switches, at most"},
    Known{"network.planes", "network.planes", "Planes (separate trees)"},
    Known{"network.trunk.bandwidth", "network.trunk.bandwidth", "Rate of a trunk cable"},
    Known{"host.gpu.count", "host.gpu.count", "GPUs of a host (NVLink domain)"},
    Known{"host.nvlink.bandwidth", "host.nvlink.bandwidth", "NVLink rate of a GPU"},
    Known{"network.dimensions[0].size", "network.dimensions[0].size", "Torus: nodes in x"},
    Known{"network.dimensions[1].size", "network.dimensions[1].size", "Torus: nodes in y"},
    Known{"network.dimensions[2].size", "network.dimensions[2].size", "Torus: nodes in z"},
    Known{"network.dimensions[0].bandwidth", "network.dimensions[0].bandwidth",
          "Torus: rate of an x cable"},
    Known{"network.dimensions[1].bandwidth", "network.dimensions[1].bandwidth",
          "Torus: rate of a y cable"},
    Known{"network.dimensions[2].bandwidth", "network.dimensions[2].bandwidth",
          "Torus: rate of a z cable"}};

// "network.dimensions[0].size" -> {"network", "dimensions", "[0]", "size"}
std::vector<std::string> steps_of(std::string_view path) {
  std::vector<std::string> steps(1);
  for (const char letter : path) {
    if (letter == '.' || letter == '[') steps.emplace_back();
    if (letter != '.') steps.back() += letter;
  }
  return steps;
}

const nlohmann::json* value_at(const nlohmann::json& file, std::string_view path) {
  const nlohmann::json* at = &file;
  for (const std::string& step : steps_of(path)) {
    if (step.starts_with("[")) {
      const std::size_t number = static_cast<std::size_t>(step[1] - '0');
      if (!at->is_array() || number >= at->size()) return nullptr;
      at = &(*at)[number];
    } else {
      if (!at->is_object() || !at->contains(step)) return nullptr;
      at = &at->at(step);
    }
  }
  return at;
}

const FieldDescription* description_at(const FieldDescription& file, std::string_view path) {
  const FieldDescription* at = &file;
  for (const std::string& step : steps_of(path)) {
    at = step.starts_with("[") ? (at->fields.empty() ? nullptr : &at->fields.front())
                               : field_of(*at, step);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string shown(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool is_tree(const Topology& topology) {
  return topology.network.family == "fat_tree" || topology.network.family == "rail_optimised";
}

// Of what may be left out of a file, what it then is.
std::optional<std::string> value_left_out(const Topology& built, std::string_view path) {
  const NetworkShape& network = built.network;
  if (path == "hosts") return std::to_string(built.hosts.size());
  if (path == "nics" && !built.hosts.empty() && !built.hosts.front().nics.empty())
    return std::to_string(built.hosts.front().nics.size());
  const bool has_ratio = is_tree(built) || network.family == "torus";
  if (path == "oversubscription" && has_ratio && network.tiers != 1)
    return fmt::format("{:.6g}", network.oversubscription);
  if (path == "network.tiers" && is_tree(built)) return "2";
  if (path == "network.planes" && network.family == "rail_optimised") return "1";
  return std::nullopt;
}

const FieldDescription& all_fields() {
  static const FieldDescription fields = topology_fields();
  return fields;
}

FabricField field_of(const Known& each, const std::string& value) {
  FabricField field{each.setting, each.label, value, {}, {}};
  if (const FieldDescription* const is = description_at(all_fields(), each.path)) {
    field.accepted = kind_text(*is);
    field.meaning = is->meaning;
  }
  if (field.setting == "hosts")
    field.accepted = fmt::format("a whole number from 1 to {}", most_hosts);
  return field;
}

std::string machine_text(const Topology& topology) {
  std::string text = fmt::format("{} hosts, {} places for ranks", topology.hosts.size(),
                                 rank_slots(topology).size());
  std::map<int, int> switches;  // by tier
  for (const Device& device : topology.devices)
    if (device.kind == DeviceKind::network_switch) ++switches[device.tier];
  for (const auto& [tier, count] : switches)
    text += fmt::format(", {} switches of tier {}", count, tier);
  return text;
}

}  // namespace

Result<std::vector<FabricField>> fabric_fields(const MachineKey& key, const Topology& built) {
  const Result<std::filesystem::path> file = find_file(FileKind::topology, key.topology);
  if (!file) return file.error();
  const Result<std::string> text = whole_topology_text(*file, key.changes);
  if (!text) return text.error();
  const nlohmann::json json = nlohmann::json::parse(*text);
  std::vector<FabricField> fields;
  for (const Known& each : known) {
    const nlohmann::json* const there = value_at(json, each.path);
    const std::string_view path = each.path;
    std::optional<std::string> value = value_left_out(built, path);
    if (there != nullptr && path != "hosts") value = shown(*there);
    if (path == "hosts" && json.contains("host_groups")) value.reset();
    if (value) fields.push_back(field_of(each, *value));
  }
  return fields;
}

Scenario with_fabric_field(const Scenario& scenario, const std::string& setting,
                           const std::string& value) {
  if (setting != "hosts") return with_setting(scenario, setting, value);
  Scenario next = scenario;
  next.hosts.reset();
  int hosts = 0;
  const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), hosts);
  if (failure == std::errc{} && end == value.data() + value.size()) next.hosts = hosts;
  return next;
}

FabricCheck check_fabric(const Scenario& scenario) {
  const Result<MachineKey> key = machine_key(scenario);
  if (!key) return {key.error().text(), {}};
  const Result<Topology> built = built_machine(*key);
  if (!built) return {built.error().text(), {}};
  return {{}, machine_text(*built)};
}

}  // namespace quintet::gui
