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
  // A host's place where its messages leave and enter, and its number.
  struct Access {
    DeviceId device;
    std::size_t number = 0;
  };
  struct HostPlace {
    std::vector<Access> accesses;  // NICs in their order
    std::set<std::size_t> used;    // by its ranks: which of them
  };
  void make_host(HostId host, DeviceId slot);
  void place_rank(DeviceId slot);
  std::vector<RankPlace> places() const;
  std::optional<Error> join_ways(std::size_t from, std::size_t to, std::size_t shift);
  std::optional<Error> join_pair(const Access& from, const Access& to);
  Result<CablePlace> cable_of(LinkId link);
  CableEnd end_of(LinkId link);
  std::size_t space_of(DeviceId device);
  std::string device_name(std::size_t space, DeviceId device);
  void lead(std::size_t space, std::size_t from, std::size_t to, const CablePlace& place);
  std::optional<Error> one_cable_per_interface() const;
  void say_deviations();

  const Topology& topology_;
  const EmulatedClusterOptions& options_;
  Router router_;
  ClusterLayout layout_;
  std::map<HostId, std::size_t> space_of_host_;
  std::map<DeviceId, std::size_t> space_of_switch_;
  std::vector<HostPlace> hosts_;             // by host space
  std::size_t accesses_ = 0;                 // of all hosts
  std::vector<std::size_t> access_of_rank_;  // which of its host's
  std::map<DeviceId, int> cables_of_;        // of accesses
  std::vector<int> ports_;                   // by space: names given
  std::map<LinkId, CablePlace> cables_;
  // By (space, destination): the way of the first pair that came through.
  std::map<std::pair<std::size_t, std::size_t>, CablePlace> ways_;
};

void LayoutBuilder::make_host(HostId host, DeviceId slot) {
  layout_.spaces.push_back({topology_.host(host).name, host});
  ports_.push_back(0);
  HostPlace& place = hosts_.emplace_back();
  for (const DeviceId nic : topology_.host(host).nics) place.accesses.push_back({nic, accesses_++});
  if (place.accesses.empty()) place.accesses.push_back({slot, accesses_++});
}

void LayoutBuilder::place_rank(DeviceId slot) {
  const HostId host = topology_.device(slot).host;
  const auto [found, is_new] = space_of_host_.try_emplace(host, layout_.spaces.size());
  if (is_new) make_host(host, slot);
  HostPlace& place = hosts_[found->second];
  const DeviceId nic = nic_of(topology_, slot);
  const auto own = std::find_if(place.accesses.begin(), place.accesses.end(),
                                [&](const Access& access) { return access.device == nic; });
  const std::size_t which =
      own == place.accesses.end() ? 0 : static_cast<std::size_t>(own - place.accesses.begin());
  place.used.insert(which);
  access_of_rank_.push_back(which);
  layout_.space_of_rank.push_back(found->second);
}

std::optional<Error> LayoutBuilder::place_ranks(const std::vector<DeviceId>& slots) {
  for (const DeviceId slot : slots) place_rank(slot);
  if (accesses_ > most_hosts)
    return Error{"box",
                 fmt::format("{} interfaces of hosts; {} at most are made", accesses_, most_hosts)};
  return std::nullopt;
}

std::size_t LayoutBuilder::space_of(DeviceId device) {
  const Device& what = topology_.device(device);
  if (what.host.valid()) return space_of_host_.at(what.host);
  const auto [found, is_new] = space_of_switch_.try_emplace(device, layout_.spaces.size());
  if (is_new) {
    layout_.spaces.push_back({what.name, {}});
    ports_.push_back(0);
  }
  return found->second;
}

std::string LayoutBuilder::device_name(std::size_t space, DeviceId device) {
  if (!layout_.spaces[space].host.valid()) return fmt::format("port{}", ports_[space]++);
  ++cables_of_[device];
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

std::optional<Error> LayoutBuilder::join_pair(const Access& from, const Access& to) {
  for (const RouteShare& part : router_.route(from.device, to.device).links) {
    const Link& wire = topology_.link(part.link);
    if (wire.kind != LinkKind::network)
      return Error{"box", "the way from " + name(from.device) + " to " + name(to.device) +
                              " takes " + name(part.link) +
                              ", which is not a network link; only those are made"};
    const Result<CablePlace> place = cable_of(part.link);
    if (!place) return place.error();
    lead(space_of(wire.from), from.number, to.number, *place);
  }
  return std::nullopt;
}

std::optional<Error> LayoutBuilder::one_cable_per_interface() const {
  for (const auto& [device, cables] : cables_of_)
    if (cables > 1)
      return Error{"box", fmt::format("{} is used with {} cables; an interface in the box has one",
                                      name(device), cables)};
  return std::nullopt;
}

// A rank's interfaces, its own first, lead to those of another rank in their order.
std::optional<Error> LayoutBuilder::join_ways(std::size_t from, std::size_t to, std::size_t shift) {
  const std::vector<Access>&here = hosts_[from].accesses, &there = hosts_[to].accesses;
  if (shift >= std::min(here.size(), there.size())) return std::nullopt;
  for (const std::size_t one : hosts_[from].used)
    for (const std::size_t other : hosts_[to].used)
      if (auto error =
              join_pair(here[(one + shift) % here.size()], there[(other + shift) % there.size()]))
        return error;
  return std::nullopt;
}

// The ways that the simulator knows first: others give way to them.
std::optional<Error> LayoutBuilder::join_hosts() {
  std::size_t most = 0;
  for (const HostPlace& host : hosts_) most = std::max(most, host.accesses.size());
  for (std::size_t shift = 0; shift < most; ++shift)
    for (std::size_t from = 0; from < hosts_.size(); ++from)
      for (std::size_t to = 0; to < hosts_.size(); ++to)
        if (from != to)
          if (auto error = join_ways(from, to, shift)) return error;
  return one_cable_per_interface();
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

std::vector<RankPlace> LayoutBuilder::places() const {
  std::vector<RankPlace> places;
  for (std::size_t rank = 0; rank < layout_.space_of_rank.size(); ++rank) {
    const std::size_t space = layout_.space_of_rank[rank];
    const std::vector<Access>& accesses = hosts_[space].accesses;
    RankPlace place{layout_.spaces[space].name, "127.0.0.1", "lo"};  // alone: no network
    for (std::size_t shift = 0; shift < accesses.size(); ++shift) {
      const Access& access = accesses[(access_of_rank_[rank] + shift) % accesses.size()];
      const std::optional<HostInterface>& interface = layout_.interfaces[access.number];
      if (!interface) continue;
      if (place.interface != "lo") {
        place.spare_addresses.push_back(host_address(access.number));
        continue;
      }
      place.address = host_address(access.number);
      place.interface = layout_.cables[interface->cable].ends[interface->end].device;
    }
    places.push_back(std::move(place));
  }
  return places;
}

ClusterLayout LayoutBuilder::finish() {
  layout_.interfaces.resize(accesses_);
  for (std::size_t space = 0; space < hosts_.size(); ++space)
    for (const Access& access : hosts_[space].accesses)
      for (std::size_t cable = 0; cable < layout_.cables.size(); ++cable)
        for (std::size_t end = 0; end < 2; ++end)
          if (topology_.link(layout_.cables[cable].ends[end].link).from == access.device)
            layout_.interfaces[access.number] = HostInterface{space, cable, end};
  layout_.places = places();
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

std::string host_address(std::size_t interface) {
  const std::size_t number = interface + 1;
  return fmt::format("10.77.{}.{}", number / 256, number % 256);
}

std::optional<std::size_t> interface_at(const ClusterLayout& layout, std::size_t cable,
                                        std::size_t end) {
  for (std::size_t number = 0; number < layout.interfaces.size(); ++number) {
    const std::optional<HostInterface>& one = layout.interfaces[number];
    if (one && one->cable == cable && one->end == end) return number;
  }
  return std::nullopt;
}

std::optional<CablePlace> place_of(const ClusterLayout& layout, LinkId link) {
  for (std::size_t cable = 0; cable < layout.cables.size(); ++cable)
    for (std::size_t end = 0; end < 2; ++end)
      if (layout.cables[cable].ends[end].link == link) return CablePlace{cable, end};
  return std::nullopt;
}

}  // namespace quintet::engine
