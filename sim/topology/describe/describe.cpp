#include "sim/topology/describe/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "sim/base/quantity_text.h"
#include "sim/topology/describe/paths.h"
#include "sim/topology/describe/readable.h"

namespace quintet {
namespace {

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text + "  ";
}

std::string rounded(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.4g", value);
  return digits;
}

const Part& part_of(const Topology& topology, PartId id) {
  return topology.parts[id.index()];
}

// "network_switch (tier 1)"
std::string kind_text(const DeviceCount& count) {
  const std::string name(name_of(count.kind));
  return count.tier == 0 ? name : fmt::format("{} (tier {})", name, count.tier);
}

std::string devices_text(const TopologySummary& summary) {
  std::string lines = "devices\n";
  for (const DeviceCount& count : summary.devices)
    lines += fmt::format("  {}{}\n", padded(kind_text(count), 24), count.count);
  return lines;
}

std::string links_text(const Topology& topology, const TopologySummary& summary) {
  std::string lines = "links, one direction each\n";
  for (const LinkCount& count : summary.links)
    lines += "  " + padded(std::string(name_of(count.kind)), 8) +
             padded(std::to_string(count.count), 8) + padded(readable(count.bandwidth), 12) +
             padded(readable(count.latency), 8) + part_of(topology, count.part).name + "\n";
  return lines;
}

std::string bisection_text(const TopologySummary& summary) {
  std::string line;
  if (summary.network.bisection > Bandwidth{})
    line += readable(summary.network.bisection) + " (closed form)";
  if (summary.bisection_by_flow)
    line += (line.empty() ? "" : ", ") + readable(*summary.bisection_by_flow) + " (max-flow)";
  return line.empty() ? "not computed" : line + ", one direction, hosts halved";
}

std::string network_text(const Topology& topology, const TopologySummary& summary) {
  const NetworkShape& network = summary.network;
  std::string lines = "network\n  family            " + network.family + ", " +
                      std::string(name_of(topology.protocol)) + "\n";
  if (network.family == "none") return lines;
  if (network.tiers > 0)
    lines += fmt::format("  tiers             {}\n  oversubscription  {} : 1 at the leaves\n",
                         network.tiers, rounded(network.oversubscription));
  lines += "  bisection         " + bisection_text(summary) + "\n";
  if (summary.diameter)
    lines += fmt::format("  diameter          {} links, NIC to NIC\n", *summary.diameter);
  return lines;
}

std::string gpu_text(const GpuSpec& gpu) {
  std::string line = fmt::format("  {}: {} SMs, {} at {}", gpu.name, gpu.sms, readable(gpu.memory),
                                 readable(gpu.memory_bandwidth));
  for (const PeakRate& peak : gpu.peaks)
    line += ", " + std::string(name_of(peak.type)) + " " + readable(peak.rate);
  return line + ", " + readable(gpu.power) + " (idle " + readable(gpu.idle_power) + "), " +
         readable(gpu.price) + "\n    source: " + gpu.source + "\n";
}

std::string host_text(const HostSpec& host) {
  return fmt::format("  {}: {} {} sockets, {} cores, {} at {}, {} without GPUs\n    source: {}\n",
                     host.name, host.sockets, name_of(host.cpu), host.cores, readable(host.memory),
                     readable(host.memory_bandwidth), readable(host.power), host.source);
}

std::string specifications_text(const Topology& topology) {
  std::string lines = "specifications\n";
  for (const HostSpec& host : topology.host_specs) lines += host_text(host);
  for (const GpuSpec& gpu : topology.gpu_specs) lines += gpu_text(gpu);
  return lines;
}

std::string parts_text(const Topology& topology) {
  std::string lines = "where the numbers come from\n";
  for (const Part& part : topology.parts)
    lines += "  " + part.name + "\n    source: " + part.source + "\n";
  return lines;
}

std::string totals_text(const TopologySummary& summary) {
  return "totals\n  power             " + readable(summary.gpu_power) + " GPUs, " +
         readable(summary.host_power) + " hosts, " + readable(summary.network_power) +
         " network, at full load\n  price             " + readable(summary.price) + "\n";
}

Bandwidth narrowest(const Topology& topology, const std::vector<LinkId>& path) {
  Bandwidth rate = topology.link(path.front()).rate();
  for (const LinkId id : path) rate = std::min(rate, topology.link(id).rate());
  return rate;
}

// "[1]": where the part's source stands below the path.
std::string step_text(const Topology& topology, const Link& link, std::size_t origin) {
  return fmt::format("  {}-> {}{}{}{}[{}]\n", padded(topology.device(link.from).name, 16),
                     padded(topology.device(link.to).name, 16),
                     padded(std::string(name_of(link.kind)), 8), padded(readable(link.rate()), 12),
                     padded(readable(link.latency), 8), origin + 1);
}

std::size_t entered(std::vector<PartId>& parts, PartId part) {
  const auto found = std::find(parts.begin(), parts.end(), part);
  const auto place = static_cast<std::size_t>(found - parts.begin());
  if (found == parts.end()) parts.push_back(part);
  return place;
}

std::string origins_text(const Topology& topology, const std::vector<PartId>& parts) {
  std::string lines;
  for (std::size_t i = 0; i < parts.size(); ++i)
    lines += fmt::format("  [{}] {}\n      source: {}\n", i + 1, part_of(topology, parts[i]).name,
                         part_of(topology, parts[i]).source);
  return lines;
}

std::string faults_text(const Topology& topology) {
  std::string text;
  for (const std::string& fault : topology.faults) text += "not as built: " + fault + "\n";
  return text;
}

}  // namespace

std::string describe(const Topology& topology) {
  const TopologySummary facts = summary(topology);
  return fmt::format("{}\n{}{}{} host{}, {} places for ranks\n\n{}\n{}\n{}\n{}\n{}\n{}",
                     topology.name, topology.description.empty() ? "" : topology.description + "\n",
                     faults_text(topology), facts.hosts, facts.hosts == 1 ? "" : "s", facts.slots,
                     devices_text(facts), links_text(topology, facts),
                     network_text(topology, facts), totals_text(facts),
                     specifications_text(topology), parts_text(topology));
}

std::string describe_path(const Topology& topology, DeviceId from, DeviceId to) {
  const std::vector<LinkId> path = shortest_path(topology, from, to);
  std::string lines = topology.device(from).name + " to " + topology.device(to).name + ": ";
  if (path.empty()) return lines + "no links\n";
  Seconds latency;
  std::string steps;
  std::vector<PartId> parts;
  for (const LinkId id : path) {
    const Link& link = topology.link(id);
    latency += link.latency;
    steps += step_text(topology, link, entered(parts, link.part));
  }
  return fmt::format("{}{} links, narrowest {}, latency {}\n{}{}", lines, path.size(),
                     readable(narrowest(topology, path)), readable(latency), steps,
                     origins_text(topology, parts));
}

}  // namespace quintet
