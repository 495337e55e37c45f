#include "gui/topology/machine_view.h"

#include <algorithm>

#include "gui/scenario/scenario_command.h"
#include "sim/topology/file/topology_file.h"
#include "sim/usage/shipped.h"

namespace quintet::gui {

namespace {

bool has_cable(const Topology& topology, DeviceId device) {
  const auto& links = topology.outgoing[device.index()];
  return std::any_of(links.begin(), links.end(),
                     [&](LinkId link) { return topology.link(link).kind == LinkKind::network; });
}

std::vector<LinkId> cables_between(const Topology& topology, DeviceId one, DeviceId other) {
  std::vector<LinkId> cables;
  for (const LinkId link : topology.outgoing[one.index()]) {
    if (topology.link(link).to != other) continue;
    cables.push_back(link);
    cables.push_back(LinkId{link.value ^ 1});
  }
  return cables;
}

}  // namespace

Result<MachineKey> machine_key(const Scenario& scenario) {
  const Result<InputNames> names = input_names(scenario);
  if (!names) return names.error();
  return MachineKey{scenario.topology, scenario.hosts, names->asked.front().topology};
}

Result<Topology> built_machine(const MachineKey& key) {
  const Result<std::filesystem::path> file = find_file(FileKind::topology, key.topology);
  if (!file) return file.error();
  return read_topology(*file, {key.hosts, {}, key.changes});
}

Result<MachineView> machine_view(const MachineKey& key) {
  Result<Topology> built = built_machine(key);
  if (!built) return built.error();
  MachineView view{key, std::move(*built), {}, {}};
  view.tree = part_tree(view.built);
  view.devices.reserve(view.built.devices.size());
  for (std::size_t each = 0; each < view.built.devices.size(); ++each)
    view.devices.emplace(view.built.devices[each].name, id_at<DeviceId>(each));
  return view;
}

NamedPlace place_named(const MachineView& machine, std::string_view name) {
  NamedPlace place;
  if (const auto found = machine.devices.find(std::string(name)); found != machine.devices.end()) {
    place.device = found->second;
    return place;
  }
  for (std::size_t host = 0; host < machine.built.hosts.size(); ++host)
    if (machine.built.hosts[host].name == name) {
      place.host = id_at<HostId>(host);
      return place;
    }
  for (std::size_t dash = name.find('-'); dash != std::string_view::npos;
       dash = name.find('-', dash + 1)) {
    const auto one = machine.devices.find(std::string(name.substr(0, dash)));
    const auto other = machine.devices.find(std::string(name.substr(dash + 1)));
    if (one == machine.devices.end() || other == machine.devices.end()) continue;
    place.cables = cables_between(machine.built, one->second, other->second);
    if (place.valid()) return place;
  }
  return place;
}

std::string faulted_part(std::string_view entry) {
  return std::string(entry.substr(0, entry.rfind('=')));
}

std::vector<std::string> faulted_parts(const Faults& faults) {
  std::vector<std::string> parts = faults.fail;
  for (const auto* entries : {&faults.slow, &faults.delay})
    for (const std::string& entry : *entries) {
      const std::string part = faulted_part(entry);
      if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
    }
  return parts;
}

std::string name_in_faults(const Scenario& scenario, const MachineView& machine,
                           const std::string& part) {
  const NamedPlace asked = place_named(machine, part);
  if (asked.cables.empty()) return part;
  for (const std::string& known : faulted_parts(scenario.faults)) {
    std::vector<LinkId> cables = place_named(machine, known).cables;
    if (std::is_permutation(cables.begin(), cables.end(), asked.cables.begin(), asked.cables.end()))
      return known;
  }
  return part;
}

Breakable breakable(const MachineView& machine, const NamedPlace& place) {
  const Topology& topology = machine.built;
  if (place.host.valid()) {
    const auto& ranks = topology.host(place.host).gpus;
    return {!ranks.empty() && topology.device(ranks.front()).kind == DeviceKind::gpu, false, false};
  }
  if (!place.cables.empty())
    return {true, topology.link(place.cables.front()).kind == LinkKind::network, true};
  if (!place.device.valid()) return {};
  switch (topology.device(place.device).kind) {
    case DeviceKind::gpu:
      return {true, false, false};
    case DeviceKind::cpu:
      return {};
    case DeviceKind::nvswitch:
    case DeviceKind::pcie_switch:
      return {true, false, true};
    case DeviceKind::nic:
    case DeviceKind::network_switch: {
      const bool joined = has_cable(topology, place.device);
      return {joined, joined, joined};
    }
  }
  return {};
}

}  // namespace quintet::gui
