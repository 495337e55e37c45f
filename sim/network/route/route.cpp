#include "sim/network/route/route.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>

#include "sim/network/fluid/islands.h"
#include "sim/network/route/switch_paths.h"
#include "sim/network/route/walk.h"
#include "sim/topology/families/network_family.h"

namespace quintet {
namespace {

// The accesses by which a flow leaves one island and enters another.
struct Crossing {
  DeviceId exit, entrance;
};

}  // namespace

struct Router::Tables {
  const Topology& topology;
  Network network;
  const NetworkFamily& family;
  Islands islands;
  SwitchPaths switches;
  Walk walk;
  std::vector<Crossing> crossings;  // candidates of the route being found

  Tables(const Topology& where, const Network& decisions)
      : topology(where),
        network(decisions),
        family(family_of(where)),
        islands(where),
        switches(where),
        walk(where) {}

  void find_crossings(DeviceId from, DeviceId to);
  void walk_inside(DeviceId to);
  void walk_across(const Crossing& crossing, const ConnectionKey& key);
  void walk_own_way(const Crossing& crossing);
  void keep_one(DeviceId at, const Crossing& crossing, const ConnectionKey& key, std::uint64_t hop,
                std::uint64_t& up_number, std::vector<LinkId>& links) const;
  std::size_t choice(const ConnectionKey& key) const;
  void walk_connection(DeviceId from, DeviceId to, const ConnectionKey& key);
  void walk_by(const Crossing& crossing, DeviceId from, DeviceId to, double share,
               const ConnectionKey& key);
};

// Nearest accesses first; of those the pairs with the fewest network links between.
void Router::Tables::find_crossings(DeviceId from, DeviceId to) {
  crossings.clear();
  LocalCost least_inside = unreachable;
  int least_links = SwitchPaths::no_way;
  for (const Door& exit : islands.exits(from))
    for (const Door& entrance : islands.entrances(to)) {
      const LocalCost inside = exit.cost + entrance.cost;
      if (inside > least_inside) break;
      const int links = switches.distance(exit.device, entrance.device);
      if (links == SwitchPaths::no_way) continue;
      if (inside == least_inside && links > least_links) continue;
      if (inside < least_inside || links < least_links) crossings.clear();
      least_inside = inside;
      least_links = links;
      crossings.push_back({exit.device, entrance.device});
    }
  assert(!crossings.empty());
}

void Router::Tables::walk_inside(DeviceId to) {
  while (walk.places().front().at != to)
    walk.step([&](DeviceId at, std::vector<LinkId>& links) { islands.next(at, to, links); });
}

// Leaves one of the candidates. `up_number` is the destination's number over the choices so far.
void Router::Tables::keep_one(DeviceId at, const Crossing& crossing, const ConnectionKey& key,
                              std::uint64_t hop, std::uint64_t& up_number,
                              std::vector<LinkId>& links) const {
  const auto candidates = static_cast<std::uint64_t>(links.size());
  if (candidates <= 1) return;
  std::uint64_t chosen = 0;
  switch (network.routing) {
    case Routing::spray:
      return;
    case Routing::ecmp:
      chosen = hash_connection(key, network.hash_seed, hop) % candidates;
      break;
    case Routing::rail_pinned:
      if (topology.device(topology.link(links[0]).to).tier < topology.device(at).tier) {
        chosen = switches.number(crossing.exit) % candidates;
      } else {
        chosen = up_number % candidates;
        up_number /= candidates;
      }
      break;
  }
  links[0] = links[static_cast<std::size_t>(chosen)];
  links.resize(1);
}

namespace {

LinkId cable_to_switch(const Topology& topology, DeviceId access) {
  for (const LinkId link : topology.outgoing[access.index()])
    if (topology.device(topology.link(link).to).kind == DeviceKind::network_switch) return link;
  return {};
}

// Wires are pairs of links: 2n there, 2n + 1 back.
LinkId back(LinkId link) {
  return LinkId{link.value ^ 1};
}

}  // namespace

void Router::Tables::walk_own_way(const Crossing& crossing) {
  const LinkId out = cable_to_switch(topology, crossing.exit);
  const LinkId in = back(cable_to_switch(topology, crossing.entrance));
  std::vector<LinkId> links = family.way(topology, topology.link(out).to, topology.link(in).from);
  links.insert(links.begin(), out);
  links.push_back(in);
  for (const LinkId link : links)
    walk.step([&](DeviceId, std::vector<LinkId>& next) { next.assign(1, link); });
}

void Router::Tables::walk_across(const Crossing& crossing, const ConnectionKey& key) {
  if (network.routing == Routing::rail_pinned && own_way(topology)) return walk_own_way(crossing);
  std::uint64_t up_number = switches.number(crossing.entrance);
  for (std::uint64_t hop = 1; walk.places().front().at != crossing.entrance; ++hop)
    walk.step([&](DeviceId at, std::vector<LinkId>& links) {
      switches.next(at, crossing.entrance, links);
      keep_one(at, crossing, key, hop, up_number, links);
    });
}

void Router::Tables::walk_by(const Crossing& crossing, DeviceId from, DeviceId to, double share,
                             const ConnectionKey& key) {
  walk.begin(from, share);
  walk_inside(crossing.exit);
  walk_across(crossing, key);
  walk_inside(to);
  walk.end();
}

// Which of several equally near pairs of accesses a connection takes.
std::size_t Router::Tables::choice(const ConnectionKey& key) const {
  const std::size_t candidates = crossings.size();
  if (candidates == 1) return 0;
  switch (network.routing) {
    case Routing::ecmp:
      return hash_connection(key, network.hash_seed, 0) % candidates;
    case Routing::rail_pinned:
    case Routing::spray:
      return static_cast<std::size_t>(
                 topology.devices[static_cast<std::size_t>(key.destination)].ordinal) %
             candidates;
  }
  return 0;
}

void Router::Tables::walk_connection(DeviceId from, DeviceId to, const ConnectionKey& key) {
  if (network.routing != Routing::spray) return walk_by(crossings[choice(key)], from, to, 1.0, key);
  for (const Crossing& crossing : crossings)
    walk_by(crossing, from, to, 1.0 / static_cast<double>(crossings.size()), key);
}

Router::Router(const Topology& topology, const Network& network)
    : tables_(std::make_unique<Tables>(topology, network)) {}

Router::~Router() = default;
Router::Router(Router&&) noexcept = default;

Route Router::route(DeviceId from, DeviceId to, int queue_pairs) const {
  assert(queue_pairs >= 1);
  if (from == to) return {};
  Tables& tables = *tables_;
  if (tables.islands.cost(from, to) != unreachable) {
    tables.walk.begin(from, 1.0);
    tables.walk_inside(to);
    tables.walk.end();
    return tables.walk.result(1.0);
  }
  tables.find_crossings(from, to);
  if (tables.crossings.empty()) return {};
  const int connections = tables.network.routing == Routing::ecmp ? queue_pairs : 1;
  for (int queue_pair = 0; queue_pair < connections; ++queue_pair)
    tables.walk_connection(from, to,
                           {from.index(), to.index(), static_cast<std::uint64_t>(queue_pair)});
  return tables.walk.result(connections);
}

namespace {

// Each device is counted once, however many ways lead to it.
template <class Next>
double count_paths(DeviceId from, DeviceId to, const Topology& topology, Next next,
                   std::unordered_map<DeviceId, double>& known) {
  if (from == to) return 1.0;
  if (const auto found = known.find(from); found != known.end()) return found->second;
  std::vector<LinkId> links;
  next(from, to, links);
  double paths = 0.0;
  for (const LinkId link : links)
    paths += count_paths(topology.link(link).to, to, topology, next, known);
  known.emplace(from, paths);
  return paths;
}

}  // namespace

double Router::paths(DeviceId from, DeviceId to) const {
  Tables& tables = *tables_;
  const auto inside = [&](DeviceId begin, DeviceId end) {
    std::unordered_map<DeviceId, double> known;
    return count_paths(
        begin, end, tables.topology,
        [&](DeviceId at, DeviceId goal, std::vector<LinkId>& links) {
          tables.islands.next(at, goal, links);
        },
        known);
  };
  const auto across = [&](DeviceId begin, DeviceId end) {
    std::unordered_map<DeviceId, double> known;
    return count_paths(
        begin, end, tables.topology,
        [&](DeviceId at, DeviceId goal, std::vector<LinkId>& links) {
          tables.switches.next(at, goal, links);
        },
        known);
  };
  if (tables.islands.cost(from, to) != unreachable) return inside(from, to);
  tables.find_crossings(from, to);
  double paths = 0.0;
  for (const Crossing& crossing : tables.crossings)
    paths += inside(from, crossing.exit) * across(crossing.exit, crossing.entrance) *
             inside(crossing.entrance, to);
  return paths;
}

}  // namespace quintet
