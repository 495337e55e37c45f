#include "sim/analytic/communication_pieces.h"

#include <algorithm>
#include <limits>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/ccl/choice/cpu_choice.h"
#include "sim/ccl/choice/tuner.h"
#include "sim/host_net/host_path.h"
#include "sim/price/measured_curves.h"
#include "sim/price/used_curves.h"
#include "sim/program/groups.h"

namespace quintet {

namespace {

// As in the walk: what is as small loads no links (sim/price/communications.cpp).
constexpr Bytes negligible{4096};

// In larger machines the ranks of one host stand for all.
constexpr int few_ranks = 2048;

CommunicationClass class_of(CollectiveKind kind) {
  const bool reduces = kind == CollectiveKind::all_reduce ||
                       kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::reduce;
  return reduces ? CommunicationClass::reducing : CommunicationClass::copying;
}

// How many ranks of a group are looked at for its load: of a large machine's so many that their
// hosts fill a few leaf switches, a divisor of all.
int few_of(const CommunicatorShape& shape, int ranks) {
  constexpr int few_hosts = 64;
  int few = shape.ranks;
  if (ranks <= few_ranks || shape.nodes <= few_hosts) return few;
  for (int divisor = 2; divisor <= shape.ranks; ++divisor)
    if (shape.ranks % divisor == 0 && shape.nodes / divisor <= few_hosts)
      return shape.ranks / divisor;
  return few;
}

std::vector<DeviceId> placed(const std::vector<DeviceId>& places, const std::vector<int>& order) {
  if (order.empty()) return places;
  std::vector<DeviceId> slots;
  for (const int place : order) slots.push_back(places[static_cast<std::size_t>(place)]);
  return slots;
}

std::vector<std::int32_t> ranks_of(const Topology& topology, const std::vector<DeviceId>& slots) {
  std::vector<std::int32_t> ranks(topology.devices.size(), -1);
  for (std::size_t rank = 0; rank < slots.size(); ++rank)
    ranks[slots[rank].index()] = static_cast<std::int32_t>(rank);
  return ranks;
}

std::vector<bool> trunks_of(const Topology& topology) {
  const auto is_switch = [&](DeviceId device) {
    return topology.device(device).kind == DeviceKind::network_switch;
  };
  std::vector<bool> trunks;
  for (const Link& link : topology.links)
    trunks.push_back(is_switch(link.from) && is_switch(link.to));
  return trunks;
}

bool same_use(const Plan& one, const Plan& other) {
  return one.network == other.network && one.ccl.tuner == other.ccl.tuner &&
         one.intra_inter.forwarding == other.intra_inter.forwarding &&
         one.intra_inter.placement == other.intra_inter.placement &&
         one.host_net.queue_pairs == other.host_net.queue_pairs;
}

// How far apart in rank neighbours along the axis are.
int stride_of(const Grid& grid, Axis axis) {
  int stride = 1;
  for (const AxisSize& each : grid.axes) {
    if (each.axis == axis) break;
    stride *= each.size;
  }
  return stride;
}

void add(PieceKey& key, const Grid& grid) {
  for (const AxisSize& axis : grid.axes)
    key.add(static_cast<int>(axis.axis) + 8 * static_cast<std::int64_t>(axis.size));
}

PricedMove move_of(const CommunicationPrice& price, Bytes size) {
  PricedMove move;
  move.latency = price.latency.value;
  move.bytes = size.value;
  move.bound = price.bound.value;
  move.share = move.alone = std::numeric_limits<double>::infinity();
  move.held = price.held.value;
  move.flight = price.flight.value;
  move.busy_sms = price.busy_sms;
  move.memory_share = price.memory_share;
  return move;
}

}  // namespace

MachineUse::MachineUse(const Topology& topology, const CostTable& costs, const Plan& asked,
                       const std::vector<DeviceId>& places)
    : plan(asked),
      slots(placed(places, asked.intra_inter.placement)),
      rank_of_device(ranks_of(topology, slots)),
      cores(topology, costs, slots),
      legs(topology, plan.network, plan.host_net.queue_pairs),
      paths(plan, cores, legs),
      links(paths.link_shares()),
      trunks(trunks_of(topology)),
      footprints(paths, links, costs.overlap),
      prices(plan.ccl.tuner, costs, cores, links) {}

// A note is looked for among all before it.
UsedCurves& MachineUse::curves(const Topology& topology) {
  constexpr std::size_t many = 256;
  if (!noted || noted->moves().used.size() + noted->moves().outside.size() > many)
    noted.emplace(topology, legs.router());
  return *noted;
}

CommunicationPieces::CommunicationPieces(const Topology& topology, const CostTable& costs)
    : topology_(topology),
      costs_(costs),
      places_(rank_slots(topology)),
      ranks_per_host_(static_cast<int>(topology.hosts.front().gpus.size())) {}

MachineUse& CommunicationPieces::use_of(const Plan& plan) {
  // Plans that are asked one after the other often agree.
  if (last_ != nullptr && same_use(last_->plan, plan)) return *last_;
  for (const auto& use : uses_)
    if (same_use(use->plan, plan)) return *(last_ = use.get());
  uses_.push_back(std::make_unique<MachineUse>(topology_, costs_, plan, places_));
  uses_.back()->number = uses_.size() - 1;
  return *(last_ = uses_.back().get());
}

// Groups along one axis are the same whatever the other axes are, as ranks fill the machine: those
// of `ranks` ranks that lie `stride` apart.
SiblingGroups& CommunicationPieces::groups_along(MachineUse& use, int stride, int ranks) {
  std::unique_ptr<SiblingGroups>& found = groups_[PieceKey(use.number, stride, ranks)];
  if (found) return *found;
  const int rest = static_cast<int>(use.slots.size()) / (stride * ranks);
  const Grid grid{{{Axis::tensor, stride}, {Axis::data, ranks}, {Axis::pipeline, rest}}};
  found = std::make_unique<SiblingGroups>(grid, Communicator{"along", {{Axis::data}}, {}},
                                          use.slots, use.rank_of_device, topology_, false);
  SiblingGroups* const made = found.get();
  if (const int few = few_of(made->shape(), static_cast<int>(use.slots.size())); few < ranks)
    made->load_like(groups_along(use, stride, few));
  return *made;
}

// Groups over several axes carry next to nothing (norms): nobody is in their way.
SiblingGroups& CommunicationPieces::groups(MachineUse& use, const Grid& grid,
                                           const Communicator& communicator) {
  if (communicator.parts.size() == 1 && communicator.stages.empty()) {
    const AxisPart& part = communicator.parts.front();
    return groups_along(use, stride_of(grid, part.axis) * part.stride,
                        group_size(grid, communicator));
  }
  PieceKey key(use.number);
  add(key, grid);
  for (const AxisPart& part : communicator.parts) {
    key.add(static_cast<int>(part.axis) + 8 * static_cast<std::int64_t>(part.size));
    key.add(part.stride);
  }
  key.add(-1);
  for (const int stage : communicator.stages) key.add(stage);
  std::unique_ptr<SiblingGroups>& found = groups_[key];
  if (!found)
    found = std::make_unique<SiblingGroups>(grid, communicator, use.slots, use.rank_of_device,
                                            topology_, communicator.parts.size() > 1);
  return *found;
}

PricedMove CommunicationPieces::collective(MachineUse& use, SiblingGroups& groups, const Ccl& ccl,
                                           const HostNet& host_net, Axis axis,
                                           const Collective& asked) {
  CollectiveRule rule = rule_for(ccl, asked.kind, axis);
  const Delivery delivery = delivery_of(host_net, axis);
  const auto worded = [](const auto& field) { return field ? static_cast<int>(*field) : -1; };
  const PieceKey key(reinterpret_cast<std::uintptr_t>(&groups), static_cast<int>(asked.kind),
                     asked.size.value, static_cast<int>(asked.type), worded(rule.algorithm),
                     worded(rule.protocol), worded(rule.channels), static_cast<int>(delivery));
  const auto [found, fresh] = moves_.try_emplace(key);
  if (!fresh) return found->second;

  const CommunicatorShape& shape = groups.shape();
  auto choice = choose(ccl.tuner, asked.kind, asked.size, shape, rule);
  if (!choice && (!rule.algorithm || row_of(*rule.algorithm).nccl != nullptr)) {
    rule = {};
    choice = choose(ccl.tuner, asked.kind, asked.size, shape, rule);
  }
  const Algorithm algorithm =
      choice ? choice->algorithm
             : algorithm_without_tuner(asked.kind, rule.algorithm, groups.layout());
  const SiblingGroups::Load& load =
      groups.load(use.footprints, use.links, use.trunks, asked.kind, algorithm, delivery);
  std::optional<Seconds> measured;
  if (choice) {
    GpuCurves curves(costs_, use.curves(topology_));
    measured = curves.of({asked, axis, rule, *choice, groups.layout(), shape, delivery});
  }
  const CommunicationPrice price =
      choice ? use.prices.by_nccl(*choice, load.own, measured, asked.size).price
             : use.prices.by_links(algorithm, load.own, shape).price;
  PricedMove move = move_of(price, asked.size);
  move.moves = class_of(asked.kind);
  const bool kept = measured && load.own.network_steps > 0;
  if (asked.size > negligible) {
    move.share = load.links.share(kept ? move.bound : 0);
    move.alone = load.links.alone(kept ? move.bound : 0);
    move.links = &unlike_links_.of(load.links);
  }
  return found->second = move;
}

const CommunicationPieces::Ways& CommunicationPieces::ways(MachineUse& use, const Grid& grid,
                                                           const HostNet& host_net, int from,
                                                           int to) {
  const Delivery delivery = delivery_of(host_net, Axis::pipeline);
  std::unique_ptr<Ways>& found =
      ways_[PieceKey(use.number, static_cast<int>(delivery), from, to,
                     stride_of(grid, Axis::pipeline), size_of(grid, Axis::pipeline))];
  if (!found) found = std::make_unique<Ways>(found_ways(use, grid, delivery, from, to));
  return *found;
}

// All ranks of a stage send at the same time. Of a large machine the ranks of one host are looked
// at: the others' do the same.
CommunicationPieces::Ways CommunicationPieces::found_ways(MachineUse& use, const Grid& grid,
                                                          Delivery delivery, int from, int to) {
  const int stages = size_of(grid, Axis::pipeline), stride = stride_of(grid, Axis::pipeline);
  const int ranks = world_size(grid);
  Ways ways;
  std::vector<std::vector<Usage>> loads;
  Route route;
  HostId only{};
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank / stride % stages != from) continue;
    const DeviceId sender = use.slots[static_cast<std::size_t>(rank)];
    const HostId host = topology_.device(sender).host;
    if (ranks > few_ranks && only.valid() && host != only) break;
    only = host;
    const DeviceId receiver = use.slots[static_cast<std::size_t>(rank + (to - from) * stride)];
    Way way{sender, receiver, {}};
    use.paths.between(sender, receiver, delivery, route);
    way.way.latency = route.latency;
    way.way.on_links = !route.links.empty();
    way.way.load = use.footprints.of_path(route);
    way.way.reach =
        same_host(topology_, sender, receiver) ? Reach::inside_host : Reach::between_hosts;
    way.way.ends = topology_.device(sender).kind;
    loads.push_back(whole_load(way.way.load.phases));
    way.way.load.phases.clear();
    const bool known =
        topology_.held_sends.empty() &&
        std::any_of(ways.kinds.begin(), ways.kinds.end(), [&](const Way& kind) {
          return kind.way.reach == way.way.reach && kind.way.latency == way.way.latency &&
                 kind.way.on_links == way.way.on_links && kind.way.load.limit == way.way.load.limit;
        });
    if (!known) ways.kinds.push_back(std::move(way));
  }
  ways.links = &unlike_links_.of(SharedLinks(loads, use.links, use.trunks));
  return ways;
}

PricedMove CommunicationPieces::message(MachineUse& use, const Grid& grid, const HostNet& host_net,
                                        int from, int to, Bytes size) {
  const Delivery delivery = delivery_of(host_net, Axis::pipeline);
  const PieceKey key(use.number, static_cast<int>(delivery), from, to, size.value,
                     stride_of(grid, Axis::pipeline), size_of(grid, Axis::pipeline));
  const auto [found, fresh] = messages_.try_emplace(key);
  if (!fresh) return found->second;
  const MessagePattern pattern{Axis::pipeline, to > from ? 1 : -1, size, Memory::device};
  const Ways& all = ways(use, grid, host_net, from, to);
  for (const Way& way : all.kinds) {
    GpuCurves curves(costs_, use.curves(topology_));
    const std::vector<CurvePoint>* const curve =
        curves.of_message(way.from, way.to, delivery, pattern);
    CommunicationPrice price = use.prices.message(way.way, delivery, size, curve).price;
    const HeldBack held = held_between(topology_, way.from, way.to);
    price.held = held.by;
    price.flight += held.late;
    PricedMove move = move_of(price, size);
    move.share = all.links->share(curve != nullptr ? move.bound : 0);
    move.alone = all.links->alone(curve != nullptr ? move.bound : 0);
    move.links = all.links;
    if (move.time() + move.flight >= found->second.time() + found->second.flight)
      found->second = move;
  }
  return found->second;
}

}  // namespace quintet
