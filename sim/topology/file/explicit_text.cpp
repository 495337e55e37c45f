#include "sim/topology/file/explicit_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "sim/base/quantity_text.h"
#include "sim/json/json_value.h"

namespace quintet {
namespace {

constexpr std::size_t most_characters = 16'000'000;  // topology_file.cpp reads no more

using Json = JsonValue;

Json cpu_json(const HostSpec& host, const std::string& source) {
  return {{"vendor", name_of(host.cpu)},
          {"sockets", host.sockets},
          {"cores", host.cores},
          {"memory", exact_text(host.memory)},
          {"memory_bandwidth", exact_text(host.memory_bandwidth)},
          {"source", source}};
}

Json gpu_json(const GpuSpec& gpu) {
  Json json{{"name", gpu.name},
            {"memory", exact_text(gpu.memory)},
            {"memory_bandwidth", exact_text(gpu.memory_bandwidth)},
            {"power", fmt::format("{} W", gpu.power.value)},
            {"idle_power", fmt::format("{} W", gpu.idle_power.value)},
            {"price", fmt::format("{} $/h", gpu.price.value)},
            {"source", gpu.source}};
  if (gpu.sm_version > 0) json["sm_version"] = gpu.sm_version;
  if (gpu.sms > 0) json["sms"] = gpu.sms;
  Json peaks = Json::object();
  for (const PeakRate& peak : gpu.peaks)
    peaks[name_of(peak.type)] = fmt::format("{} FLOP/s", peak.rate.value);
  json["peaks"] = peaks;
  return json;
}

// The reader joins both sources by these words.
Json host_json(const Topology& topology, const Host& host, int gpu) {
  constexpr std::string_view joint = "; CPU: ";
  const HostSpec& spec = topology.host_specs[static_cast<std::size_t>(host.spec)];
  const std::size_t at = spec.source.rfind(joint);
  const std::string own = spec.source.substr(0, at);
  const std::string cpu = at == std::string::npos ? own : spec.source.substr(at + joint.size());
  Json json{{"name", spec.name},
            {"family", "custom"},
            {"power", fmt::format("{} W", spec.power.value)},
            {"source", own},
            {"cpu", cpu_json(spec, cpu)}};
  if (gpu >= 0) json["gpu"] = gpu_json(topology.gpu_specs[static_cast<std::size_t>(gpu)]);
  return json;
}

// Hosts of one kind follow one another.
Json groups_json(const Topology& topology) {
  Json groups = Json::array();
  for (std::size_t begin = 0; begin < topology.hosts.size();) {
    std::size_t end = begin;
    while (end < topology.hosts.size() && topology.hosts[end].spec == topology.hosts[begin].spec)
      ++end;
    groups.push_back(
        {{"hosts", end - begin},
         {"host", host_json(topology, topology.hosts[begin], topology.gpu_spec_of_host[begin])}});
    begin = end;
  }
  return groups;
}

// Parts of one name and several sources get a number.
std::vector<std::string> part_names(const Topology& topology) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const Part& part : topology.parts) {
    std::string name = part.name;
    for (int number = 2; !taken.insert(name).second; ++number)
      name = fmt::format("{} ({})", part.name, number);
    names.push_back(name);
  }
  return names;
}

Json device_json(const Device& device, const std::vector<std::string>& parts) {
  Json json{{"name", device.name}, {"kind", name_of(device.kind)}};
  if (device.host.valid())
    json["host"] = device.host.value;
  else
    json["tier"] = device.tier;
  json["part"] = parts[device.part.index()];
  return json;
}

Json direction_json(const Link& link) {
  return {{"bandwidth", exact_text(link.bandwidth)}, {"latency", exact_text(link.latency)}};
}

Json wire_json(const Topology& topology, std::size_t wire, const std::vector<std::string>& parts) {
  const Link &there = topology.links[wire], &back = topology.links[wire + 1];
  Json json{{"from", topology.device(there.from).name},
            {"to", topology.device(there.to).name},
            {"kind", name_of(there.kind)},
            {"part", parts[there.part.index()]}};
  json.update(direction_json(there));
  if (back.bandwidth != there.bandwidth || back.latency != there.latency)
    json["back"] = direction_json(back);
  return json;
}

// One a line: long files stay readable, and a change shows where it is.
template <class Entry>
std::string listed(std::size_t count, std::size_t step, Entry entry) {
  std::string text;
  for (std::size_t i = 0; i < count; i += step)
    text += (i == 0 ? "\n      " : ",\n      ") + entry(i).dump();
  return text;
}

std::string network_text(const Topology& topology) {
  const std::vector<std::string> names = part_names(topology);
  Json parts = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) parts[names[i]] = topology.parts[i].source;
  std::string text = fmt::format(
      "    \"family\": \"explicit\",\n    \"protocol\": \"{}\",\n    \"power\": \"{} W\",\n    "
      "\"parts\": {},\n",
      name_of(topology.protocol), topology.network_power.value, parts.dump());
  if (topology.network.reduces) text += "    \"in_network_reduction\": true,\n";
  if (!topology.network.sizes.empty())
    text += fmt::format("    \"grid\": {},\n", Json(topology.network.sizes).dump());
  text += "    \"devices\": [" + listed(topology.devices.size(), 1, [&](std::size_t i) {
            return device_json(topology.devices[i], names);
          });
  text += "\n    ],\n    \"links\": [" + listed(topology.links.size(), 2, [&](std::size_t i) {
            return wire_json(topology, i, names);
          });
  return text + "\n    ]\n";
}

}  // namespace

Result<std::string> explicit_text(const Topology& topology) {
  if (topology.network.circuits > 0)
    return Error{"",
                 "its circuits carry one way only, which the links of an explicit graph do not; "
                 "copy the file of the machine instead"};
  const auto adds_only = [](const Host& host) { return host.gpus.empty(); };
  if (std::any_of(topology.hosts.begin(), topology.hosts.end(), adds_only))
    return Error{"",
                 "it has hosts without places for ranks, which an explicit graph cannot say; copy "
                 "the file of the machine instead"};
  std::string text = fmt::format(
      "{{\n  \"name\": {},\n  \"description\": {},\n  \"host_groups\": {},\n",
      Json(topology.name).dump(), Json(topology.description).dump(), groups_json(topology).dump());
  text += "  \"network\": {\n" + network_text(topology) + "  }\n}\n";
  if (text.size() <= most_characters) return text;
  return Error{"",
               fmt::format("the file would have {:.0f} MB, and at most {:.0f} are read; ask for "
                           "fewer hosts (--hosts)",
                           1e-6 * static_cast<double>(text.size()), 1e-6 * most_characters)};
}

}  // namespace quintet
