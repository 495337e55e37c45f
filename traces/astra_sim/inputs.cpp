#include "traces/astra_sim/inputs.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <queue>

#include <fmt/format.h>

#include "sim/base/shown_text.h"
#include "traces/astra_sim/remote_memory.h"

namespace quintet {
namespace {

// One direction of all links of a kind that leave a device.
Bandwidth rate_of(const Topology& topology, DeviceId device, LinkKind kind) {
  Bandwidth rate;
  for (const LinkId link : topology.outgoing[device.index()])
    if (topology.link(link).kind == kind) rate += topology.link(link).bandwidth;
  return rate;
}

// Of the links on the way with the fewest; below 0: there is none.
struct Way {
  int links = -1;
  Seconds latency;
};
Way way_between(const Topology& topology, DeviceId from, DeviceId to) {
  std::vector<Way> ways(topology.devices.size());
  std::queue<DeviceId> reached;
  ways[from.index()].links = 0;
  for (reached.push(from); !reached.empty(); reached.pop()) {
    const DeviceId at = reached.front();
    if (at == to) break;
    if (at != from && !may_forward(topology.device(at).kind)) continue;
    for (const LinkId id : topology.outgoing[at.index()]) {
      const Link& link = topology.link(id);
      Way& next = ways[link.to.index()];
      if (next.links >= 0) continue;
      const Way& here = ways[at.index()];
      next = {here.links + 1, here.latency + link.latency};
      reached.push(link.to);
    }
  }
  return ways[to.index()];
}

// ASTRA-sim counts two hops through a switch and one between others.
AstraDimension dimension_of(AstraShape shape, int ranks, Bandwidth rate, Seconds latency) {
  const double hops = shape == AstraShape::star ? 2.0 : 1.0;
  return {shape, ranks, rate.value / 0x1p30, latency.value * 1e9 / hops};
}

bool has_nvlink(const Topology& topology, DeviceId slot) {
  return rate_of(topology, slot, LinkKind::nvlink).value > 0.0;
}

AstraDimension inside_hosts(const Topology& topology, const std::vector<DeviceId>& slots,
                            int ranks) {
  const LinkKind kind = has_nvlink(topology, slots[0]) ? LinkKind::nvlink : LinkKind::pcie;
  const bool direct = kind == LinkKind::nvlink && !topology.outgoing[slots[0].index()].empty() &&
                      way_between(topology, slots[0], slots[1]).links == 1;
  const Bandwidth rate = rate_of(topology, slots[0], kind);
  const Seconds latency = way_between(topology, slots[0], slots[1]).latency;
  if (!direct) return dimension_of(AstraShape::star, ranks, rate, latency);
  // Wires between every two share what leaves a GPU.
  return dimension_of(AstraShape::fully_connected, ranks, rate / (ranks - 1), latency);
}

AstraDimension across_hosts(const Topology& topology, const std::vector<DeviceId>& slots,
                            int ranks) {
  const Host& host = topology.hosts.front();
  Bandwidth rate;
  for (const DeviceId nic : host.nics) rate += rate_of(topology, nic, LinkKind::network);
  const Way way = way_between(topology, slots.front(), slots.back());
  const int hosts = static_cast<int>(slots.size()) / ranks;
  return dimension_of(AstraShape::star, hosts, rate / ranks, way.latency);
}

AstraSystem system_for(const Topology& topology, std::size_t dimensions) {
  AstraSystem system;
  system.policy = AstraPolicy::last_in_first_out;
  system.optimization = AstraOptimization::local_bandwidth_aware;
  for (std::size_t at = 0; at < astra_collectives.size(); ++at)
    system.collectives[at].per_dimension.assign(
        dimensions, {astra_collectives[at] == CollectiveKind::all_to_all ? AstraAlgorithm::direct
                                                                         : AstraAlgorithm::ring,
                     false, -1});
  const int spec = topology.gpu_spec_of_host.empty() ? -1 : topology.gpu_spec_of_host.front();
  if (spec < 0) {
    system.memory_gigabytes = topology.host_specs.front().memory_bandwidth.value / 1e9;
    return system;
  }
  const GpuSpec& gpu = topology.gpu_specs[static_cast<std::size_t>(spec)];
  system.memory_gigabytes = gpu.memory_bandwidth.value / 1e9;
  for (const PeakRate& peak : gpu.peaks)
    if (peak.type == DataType::bf16) system.peak_teraflops = peak.rate.value / 1e12;
  return system;
}

std::vector<std::string> lost_of(const Topology& topology, const AstraNetwork& network,
                                 bool across) {
  std::vector<std::string> lost{
      "Collectives run ASTRA-sim's rings and direct exchanges, in one piece: no tuner, protocols, "
      "channels or trees.",
      "A GPU's links are one wire to a switch; PCIe switches, sockets and what shares them are not "
      "there.",
      "Latencies are of the longest way, halved: ASTRA-sim counts two hops through a switch.",
      "The first host stands for all."};
  if (network.dimensions.front().shape == AstraShape::fully_connected)
    lost.push_back(
        "GPUs that are joined directly have a wire between every two, of an equal share of what "
        "leaves "
        "one.");
  if (across)
    lost.push_back(
        "Each rank has its share of the host's NICs; which NIC a GPU uses, and how its "
        "bytes get there, is not there.");
  if (topology.network.tiers > 1 || topology.network.oversubscription > 1.0)
    lost.push_back(
        fmt::format("A fabric of {} tiers, oversubscribed {} times, is one switch that "
                    "carries everything.",
                    topology.network.tiers, topology.network.oversubscription));
  if (!topology.network.sizes.empty() || topology.network.circuits > 0)
    lost.push_back("A fabric of family " + topology.network.family +
                   " without a switch between all hosts is one switch.");
  if (topology.network.reduces) lost.push_back("Switches that add up only pass on.");
  for (const std::string& fault : topology.faults) lost.push_back("Not there: " + fault + ".");
  if (topology.gpu_specs.size() > 1) lost.push_back("All GPUs are of the first host's kind.");
  return lost;
}

std::optional<Error> written(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (out) return std::nullopt;
  return Error{file.string(),
               "cannot be written; name a directory with room that can be written to"};
}

}  // namespace

Result<AstraInputs> astra_inputs_of(const Topology& topology) {
  const std::vector<DeviceId> slots = rank_slots(topology);
  const auto hosts = static_cast<int>(topology.hosts.size());
  const auto ranks = hosts == 0 ? 0 : static_cast<int>(topology.hosts.front().gpus.size());
  for (const Host& host : topology.hosts)
    if (static_cast<int>(host.gpus.size()) != ranks)
      return Error{topology.name,
                   fmt::format("host {} has {} rank slots, the first has {}: ASTRA-sim's "
                               "dimensions need as many on each",
                               in_quotes(host.name), host.gpus.size(), ranks)};
  if (slots.size() < 2 || slots.size() > static_cast<std::size_t>(most_astra_ranks))
    return Error{topology.name, fmt::format("has {} ranks; from 2 to {} are accepted", slots.size(),
                                            most_astra_ranks)};
  AstraInputs inputs;
  if (ranks > 1) inputs.network.dimensions.push_back(inside_hosts(topology, slots, ranks));
  if (hosts > 1) inputs.network.dimensions.push_back(across_hosts(topology, slots, ranks));
  for (const AstraDimension& dimension : inputs.network.dimensions)
    if (!(dimension.gigabytes > 0.0))
      return Error{topology.name, "has ranks without a link to others that ASTRA-sim could have"};
  inputs.system = system_for(topology, inputs.network.dimensions.size());
  inputs.lost = lost_of(topology, inputs.network, hosts > 1);
  return inputs;
}

std::optional<Error> write_astra_inputs(const std::filesystem::path& directory,
                                        const AstraInputs& inputs) {
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  if (code) return Error{directory.string(), "cannot be made: " + code.message()};
  std::string lost = "What these files for ASTRA-sim lose of the machine:\n";
  for (const std::string& sentence : inputs.lost) lost += "- " + sentence + "\n";
  const std::string memory =
      fmt::format("{{\n  \"memory-type\": \"{}\"\n}}\n", name_of(AstraMemoryKind::none));
  if (auto wrong = written(directory / "network.yml", astra_network_text(inputs.network)))
    return wrong;
  if (auto wrong = written(directory / "system.json", astra_system_text(inputs.system)))
    return wrong;
  if (auto wrong = written(directory / "remote_memory.json", memory)) return wrong;
  return written(directory / "lost.txt", lost);
}

}  // namespace quintet
