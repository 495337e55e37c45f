
#include "sim/base/quantity_text.h"
#include "sim/json/json_value.h"
#include "sim/topology/describe/describe.h"
#include "sim/topology/describe/paths.h"

namespace quintet {
namespace {

using Json = JsonValue;

Json devices_json(const TopologySummary& summary) {
  Json list = Json::array();
  for (const DeviceCount& count : summary.devices) {
    Json entry{{"kind", name_of(count.kind)}, {"count", count.count}};
    if (count.tier > 0) entry["tier"] = count.tier;
    list.push_back(std::move(entry));
  }
  return list;
}

Json links_json(const TopologySummary& summary) {
  Json list = Json::array();
  for (const LinkCount& count : summary.links)
    list.push_back({{"kind", name_of(count.kind)},
                    {"count", count.count},
                    {"bytes_per_second", count.bandwidth.value},
                    {"latency_seconds", count.latency.value},
                    {"part", count.part.value}});
  return list;
}

Json network_json(const Topology& topology, const TopologySummary& summary) {
  Json network{{"family", summary.network.family},
               {"protocol", name_of(topology.protocol)},
               {"tiers", summary.network.tiers},
               {"oversubscription", summary.network.oversubscription}};
  if (summary.network.bisection > Bandwidth{})
    network["bisection_bytes_per_second"] = summary.network.bisection.value;
  if (summary.bisection_by_flow)
    network["bisection_by_max_flow_bytes_per_second"] = summary.bisection_by_flow->value;
  if (summary.diameter) network["diameter_links"] = *summary.diameter;
  return network;
}

Json gpus_json(const Topology& topology) {
  Json list = Json::array();
  for (const GpuSpec& gpu : topology.gpu_specs) {
    Json peaks = Json::object();
    for (const PeakRate& peak : gpu.peaks) peaks[std::string(name_of(peak.type))] = peak.rate.value;
    list.push_back({{"name", gpu.name},
                    {"sms", gpu.sms},
                    {"memory_bytes", gpu.memory.value},
                    {"memory_bytes_per_second", gpu.memory_bandwidth.value},
                    {"peak_flop_per_second", std::move(peaks)},
                    {"power_watts", gpu.power.value},
                    {"idle_power_watts", gpu.idle_power.value},
                    {"dollars_per_hour", gpu.price.value},
                    {"source", gpu.source}});
  }
  return list;
}

Json hosts_json(const Topology& topology) {
  Json list = Json::array();
  for (const HostSpec& host : topology.host_specs)
    list.push_back({{"name", host.name},
                    {"cpu", name_of(host.cpu)},
                    {"sockets", host.sockets},
                    {"cores", host.cores},
                    {"memory_bytes", host.memory.value},
                    {"memory_bytes_per_second", host.memory_bandwidth.value},
                    {"power_watts", host.power.value},
                    {"source", host.source}});
  return list;
}

Json parts_json(const Topology& topology) {
  Json list = Json::array();
  for (const Part& part : topology.parts)
    list.push_back({{"name", part.name}, {"source", part.source}});
  return list;
}

Json path_json(const Topology& topology, DeviceId from, DeviceId to) {
  Json list = Json::array();
  for (const LinkId id : shortest_path(topology, from, to)) {
    const Link& link = topology.link(id);
    list.push_back({{"from", topology.device(link.from).name},
                    {"to", topology.device(link.to).name},
                    {"kind", name_of(link.kind)},
                    {"bytes_per_second", link.rate().value},
                    {"latency_seconds", link.latency.value},
                    {"part", link.part.value}});
  }
  return list;
}

}  // namespace

std::string topology_json_text(const Topology& topology,
                               std::optional<std::pair<DeviceId, DeviceId>> path) {
  const TopologySummary facts = summary(topology);
  Json json{{"schema_version", 1},
            {"name", topology.name},
            {"description", topology.description},
            {"machine_faults", topology.faults},
            {"hosts", facts.hosts},
            {"slots", facts.slots},
            {"devices", devices_json(facts)},
            {"links", links_json(facts)},
            {"network", network_json(topology, facts)},
            {"power_watts",
             {{"gpus", facts.gpu_power.value},
              {"hosts", facts.host_power.value},
              {"network", facts.network_power.value}}},
            {"dollars_per_hour", facts.price.value},
            {"host_specifications", hosts_json(topology)},
            {"gpu_specifications", gpus_json(topology)},
            {"parts", parts_json(topology)}};
  if (path) json["path"] = path_json(topology, path->first, path->second);
  // Names come from outside and may hold broken UTF-8.
  return json.dump(2) + "\n";
}

}  // namespace quintet
