#include "sim/topology/faults/part_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "sim/base/nearest_word.h"
#include "sim/base/shown_text.h"

namespace quintet {
namespace {

constexpr std::size_t most_named = 4;

// Two devices that a dash joins, by the first dash at which both sides are names.
struct Ends {
  DeviceId one, other;
};

class Names {
 public:
  explicit Names(const Topology& topology) : topology_(topology) {
    for (std::size_t i = 0; i < topology.devices.size(); ++i)
      devices_.emplace(topology.devices[i].name, id_at<DeviceId>(i));
  }

  std::optional<DeviceId> device(std::string_view name) const {
    const auto found = devices_.find(name);
    return found == devices_.end() ? std::nullopt : std::optional(found->second);
  }

  std::optional<HostId> host(std::string_view name) const {
    for (std::size_t i = 0; i < topology_.hosts.size(); ++i)
      if (topology_.hosts[i].name == name) return id_at<HostId>(i);
    return std::nullopt;
  }

  std::optional<Ends> ends(std::string_view name) const {
    for (std::size_t dash = name.find('-'); dash != std::string_view::npos;
         dash = name.find('-', dash + 1)) {
      const auto one = device(name.substr(0, dash)), other = device(name.substr(dash + 1));
      if (one && other) return Ends{*one, *other};
    }
    return std::nullopt;
  }

  Error unknown(std::string_view name) const {
    const std::size_t dash = name.find('-');
    if (dash == std::string_view::npos) return no_part(name);
    const std::string_view one = name.substr(0, dash), other = name.substr(dash + 1);
    return device(one) ? no_part(other) : no_part(one);
  }

 private:
  Error no_part(std::string_view name) const {
    std::vector<std::string_view> all;
    for (const Device& device : topology_.devices) all.emplace_back(device.name);
    for (const Host& host : topology_.hosts) all.emplace_back(host.name);
    std::vector<std::string_view> near = nearest_few(name, all, most_named);
    const bool alike = !near.empty();
    if (!alike)
      near = {topology_.hosts.front().name, topology_.devices.front().name,
              topology_.devices.back().name};
    std::string text;
    for (const std::string_view each : near) text += (text.empty() ? "" : ", ") + std::string(each);
    return {"", fmt::format("no part of this machine is called {}; {} {}", in_quotes(name),
                            alike ? "the nearest names are" : "its parts are called like", text)};
  }

  const Topology& topology_;
  std::unordered_map<std::string_view, DeviceId> devices_;
};

// "leaf0 is joined to host0/nic0, spine0 and 40 others"
std::string neighbours_text(const Topology& topology, DeviceId device) {
  std::vector<std::string> names;
  for (const LinkId link : topology.outgoing[device.index()])
    names.push_back(topology.device(topology.link(link).to).name);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text = topology.device(device).name + " is joined to ";
  for (std::size_t i = 0; i < std::min(most_named, names.size()); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.empty()) text += "nothing";
  if (names.size() > most_named) text += fmt::format(" and {} others", names.size() - most_named);
  return text;
}

std::vector<LinkId> wires_between(const Topology& topology, const Ends& ends) {
  std::vector<LinkId> wires;
  for (const LinkId link : topology.outgoing[ends.one.index()])
    if (topology.link(link).to == ends.other) wires.push_back(LinkId{link.value & ~1});
  return wires;
}

}  // namespace

Result<NamedPart> named_part(const Topology& topology, std::string_view name) {
  const Names names(topology);
  NamedPart part{std::string(name), {}, {}, {}};
  if (const auto device = names.device(name)) return part.device = *device, part;
  if (const auto host = names.host(name)) return part.host = *host, part;
  const auto ends = names.ends(name);
  if (!ends) return names.unknown(name);
  part.wires = wires_between(topology, *ends);
  if (!part.wires.empty()) return part;
  return Error{"",
               fmt::format("no cable joins {} and {}; {}; {}", topology.device(ends->one).name,
                           topology.device(ends->other).name, neighbours_text(topology, ends->one),
                           neighbours_text(topology, ends->other))};
}

}  // namespace quintet
