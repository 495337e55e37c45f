#include "engine/emulated_cluster/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>

#include "sim/base/quantity_text.h"
#include "sim/network/route/route.h"

namespace quintet::engine {
namespace {

// Addresses are 10.77.x.y; cables take 10.78.0.0/15, two addresses each.
constexpr std::size_t most_hosts = 4096;
constexpr std::size_t most_cables = 65536;

// tests/engine/emulated_cluster/cluster_table.cpp
constexpr Bandwidth hardly_reached{5e9 / 8};

std::string microseconds(Seconds time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g us", time.value * 1e6);
  return text.data();
}

class LayoutBuilder {
 public:
  LayoutBuilder(const Topology& topology, const EmulatedClusterOptions& options)
      : topology_(topology), options_(options), router_(topology, one_path(options.network)) {}

  std::optional<Error> place_ranks(const std::vector<DeviceId>& slots);
  std::optional<Error> join_hosts();
  ClusterLayout finish();

 private:
  // A spray is many paths at once; what comes nearest is a path of its own for every pair.
  static Network one_path(Network network) {
    if (network.routing == Routing::spray) network.routing = Routing::ecmp;
    return network;
  }

  std::string name(DeviceId device) const { return topology_.device(device).name; }
  std::string name(LinkId link) const {
    return name(topology_.link(link).from) + " -> " + name(topology_.link(link).to);
  }
  std::optional<Error> place_rank(std::size_t rank, DeviceId slot);
  std::optional<Error> join_pair(std::size_t from, std::size_t to);
  Result<CablePlace> cable_of(LinkId link);
  CableEnd end_of(LinkId link);
  std::size_t space_of(DeviceId device);
  std::string device_name(std::size_t space, DeviceId device);
  void lead(std::size_t space, std::size_t from, std::size_t to, const CablePlace& place);
  std::optional<Error> one_cable_per_host() const;
  void say_deviations();

  const Topology& topology_;
  const EmulatedClusterOptions& options_;
  Router router_;
  ClusterLayout layout_;
  std::map<HostId, std::size_t> space_of_host_;
  std::map<DeviceId, std::size_t> space_of_switch_;
  std::vector<DeviceId> access_;  // by host space: where its messages leave and enter
  std::vector<int> interfaces_;   // by space
  std::map<LinkId, CablePlace> cables_;
  // By (space, destination): the way of the first pair that came through.
  std::map<std::pair<std::size_t, std::size_t>, CablePlace> ways_;
};

std::optional<Error> LayoutBuilder::place_rank(std::size_t rank, DeviceId slot) {
  const HostId host = topology_.device(slot).host;
  const DeviceId nic = nic_of(topology_, slot);
  const DeviceId access = nic.valid() ? nic : slot;
  const auto [found, is_new] = space_of_host_.try_emplace(host, layout_.spaces.size());
  if (is_new) {
    layout_.spaces.push_back({topology_.host(host).name, host});
    access_.push_back(access);
    interfaces_.push_back(0);
  }
  if (access_[found->second] != access)
    return Error{
        "box",
        fmt::format(
            "rank {} sends through {} and another rank of its host through {}; a host in the box "
            "has one interface: place its ranks where they share a NIC, or one rank on a host",
            rank, name(access), name(access_[found->second]))};
  layout_.space_of_rank.push_back(found->second);
  return std::nullopt;
}

std::optional<Error> LayoutBuilder::place_ranks(const std::vector<DeviceId>& slots) {
  for (std::size_t rank = 0; rank < slots.size(); ++rank)
    if (auto error = place_rank(rank, slots[rank])) return error;
  if (layout_.spaces.size() > most_hosts)
    return Error{"box",
                 fmt::format("{} hosts; {} at most are made", layout_.spaces.size(), most_hosts)};
  return std::nullopt;
}

std::size_t LayoutBuilder::space_of(DeviceId device) {
  const Device& what = topology_.device(device);
  if (what.host.valid()) return space_of_host_.at(what.host);
  const auto [found, is_new] = space_of_switch_.try_emplace(device, layout_.spaces.size());
  if (is_new) {
    layout_.spaces.push_back({what.name, {}});
    interfaces_.push_back(0);
  }
  return found->second;
}

std::string LayoutBuilder::device_name(std::size_t space, DeviceId device) {
  const int number = interfaces_[space]++;
  if (!layout_.spaces[space].host.valid()) return fmt::format("port{}", number);
  const Device& what = topology_.device(device);
  return (what.kind == DeviceKind::nic ? "nic" : "net") + std::to_string(what.ordinal);
}

CableEnd LayoutBuilder::end_of(LinkId link) {
  const Link& wire = topology_.link(link);
  const std::size_t space = space_of(wire.from);
  const Seconds delay = wire.latency < options_.delayed_from ? Seconds{} : wire.latency;
  const auto more = std::find_if(options_.more_delay.begin(), options_.more_delay.end(),
                                 [link](const LinkDelay& each) { return each.link == link; });
  return {space, device_name(space, wire.from),
          link,  wire.bandwidth,
          delay, more == options_.more_delay.end() ? Seconds{} : more->delay};
}

// Every wire is two links with neighbouring ids.
Result<CablePlace> LayoutBuilder::cable_of(LinkId link) {
  if (const auto found = cables_.find(link); found != cables_.end()) return found->second;
  const LinkId back{link.value ^ 1};
  for (const LinkId one : {link, back})
    if (topology_.link(one).bandwidth > options_.fastest)
      return Error{"box", "link " + name(one) + " has " + text(topology_.link(one).bandwidth) +
                              "; this machine shapes links of up to " + text(options_.fastest)};
  const std::size_t cable = layout_.cables.size();
  if (cable == most_cables)
    return Error{"box", fmt::format("more than {} cables are needed", most_cables)};
  layout_.cables.push_back({{end_of(link), end_of(back)}});
  cables_[link] = {cable, 0};
  cables_[back] = {cable, 1};
  return CablePlace{cable, 0};
}

// Where pairs part although they go to the same host, the later ones get routes of their own.
void LayoutBuilder::lead(std::size_t space, std::size_t from, std::size_t to,
                         const CablePlace& place) {
  const auto [known, is_new] = ways_.try_emplace({space, to}, place);
  if (is_new)
    layout_.routes.push_back({space, to, std::nullopt, place.cable, place.end});
  else if (known->second.cable != place.cable)
    layout_.routes.push_back({space, to, from, place.cable, place.end});
}

std::optional<Error> LayoutBuilder::join_pair(std::size_t from, std::size_t to) {
  for (const RouteShare& part : router_.route(access_[from], access_[to]).links) {
    const Link& wire = topology_.link(part.link);
    if (wire.kind != LinkKind::network)
      return Error{"box", "the way from " + name(access_[from]) + " to " + name(access_[to]) +
                              " takes " + name(part.link) +
                              ", which is not a network link; only those are made"};
    const Result<CablePlace> place = cable_of(part.link);
    if (!place) return place.error();
    lead(space_of(wire.from), from, to, *place);
  }
  return std::nullopt;
}

std::optional<Error> LayoutBuilder::one_cable_per_host() const {
  for (std::size_t space = 0; space < access_.size(); ++space)
    if (interfaces_[space] > 1)
      return Error{
          "box",
          fmt::format(
              "{} is used with {} cables; a host in the box has one interface with one cable",
              name(access_[space]), interfaces_[space])};
  return std::nullopt;
}

std::optional<Error> LayoutBuilder::join_hosts() {
  const std::size_t hosts = access_.size();
  for (std::size_t from = 0; from < hosts; ++from)
    for (std::size_t to = 0; to < hosts; ++to)
      if (from != to)
        if (auto error = join_pair(from, to)) return error;
  return one_cable_per_host();
}

void LayoutBuilder::say_deviations() {
  std::vector<std::string>& said = layout_.deviations;
  if (options_.network.routing == Routing::spray)
    said.push_back("network.routing spray: each pair of hosts keeps to one path, that of its hash");
  if (options_.network.routing == Routing::ecmp)
    said.push_back("network.routing ecmp: all connections of a pair of hosts take one path");
  if (topology_.protocol != NetworkProtocol::tcp)
    said.push_back("network.protocol " + std::string(name_of(topology_.protocol)) +
                   ": what is carried is TCP");
  Seconds most;
  for (const Cable& cable : layout_.cables)
    for (const CableEnd& end : cable.ends)
      if (end.delay == Seconds{}) most = std::max(most, topology_.link(end.link).latency);
  if (most > Seconds{})
    said.push_back("latencies below " + microseconds(options_.delayed_from) + " (up to " +
                   microseconds(most) + " here): a hop takes what the kernel takes");
  const bool fast =
      std::any_of(layout_.cables.begin(), layout_.cables.end(), [](const Cable& cable) {
        return std::max(cable.ends[0].rate, cable.ends[1].rate) > hardly_reached;
      });
  if (fast)
    said.push_back("rates above " + text(hardly_reached) +
                   ": hardly reached (two cores carried 67 % of 1.25 GB/s)");
  if (!layout_.cables.empty())
    said.push_back(
        "after a pause, a link lets what it carries in 0.4 ms, or 3 packets, pass at once");
  said.push_back("inside hosts, links and memory have this machine's speed");
}

ClusterLayout LayoutBuilder::finish() {
  std::vector<RankPlace> hosts(access_.size(), {"", "127.0.0.1", "lo"});  // alone: no network
  for (const Cable& cable : layout_.cables)
    for (const CableEnd& end : cable.ends)
      if (end.space < hosts.size()) hosts[end.space] = {"", host_address(end.space), end.device};
  for (const std::size_t space : layout_.space_of_rank) {
    layout_.places.push_back(hosts[space]);
    layout_.places.back().host = layout_.spaces[space].name;
  }
  layout_.payload = options_.network.mtu;
  say_deviations();
  return std::move(layout_);
}

}  // namespace

Result<ClusterLayout> cluster_layout(const Topology& topology, const std::vector<DeviceId>& slots,
                                     const EmulatedClusterOptions& options) {
  LayoutBuilder builder(topology, options);
  if (auto error = builder.place_ranks(slots)) return *error;
  if (auto error = builder.join_hosts()) return *error;
  return builder.finish();
}

std::string host_address(std::size_t space) {
  const std::size_t number = space + 1;
  return fmt::format("10.77.{}.{}", number / 256, number % 256);
}

std::optional<CablePlace> place_of(const ClusterLayout& layout, LinkId link) {
  for (std::size_t cable = 0; cable < layout.cables.size(); ++cable)
    for (std::size_t end = 0; end < 2; ++end)
      if (layout.cables[cable].ends[end].link == link) return CablePlace{cable, end};
  return std::nullopt;
}

}  // namespace quintet::engine
