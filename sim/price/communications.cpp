#include "sim/price/communications.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/ccl/choice/cpu_choice.h"
#include "sim/ccl/choice/tuner.h"
#include "sim/ccl/nccl/communicator_shape.h"
#include "sim/host_net/host_path.h"
#include "sim/intra_inter/placement.h"
#include "sim/price/communication_price.h"
#include "sim/price/copy_prices.h"
#include "sim/price/footprint.h"
#include "sim/price/measured_curves.h"
#include "sim/price/nccl_answers.h"
#include "sim/price/paths.h"
#include "sim/price/used_curves.h"
#include "sim/price/ways.h"
#include "sim/program/groups.h"
#include "sim/topology/host_layout.h"

namespace quintet {

namespace {

// A gradient norm takes its latency and no bandwidth to speak of; its ring over all hosts would
// only make links differ that are alike for everything else.
constexpr Bytes negligible{4096};

MessagePattern message_pattern(const Send& send) {
  return {send.axis, send.offset, send.size, send.memory};
}

// What a collective is for does not change what it costs.
CollectivePattern collective_pattern(Collective collective) {
  collective.purpose = Purpose::exchange;
  return {collective};
}

CommunicationClass class_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::reduce:
      return CommunicationClass::reducing;
    case CollectiveKind::all_gather:
    case CollectiveKind::broadcast:
    case CollectiveKind::all_to_all:
      return CommunicationClass::copying;
  }
  return CommunicationClass::copying;
}

class Builder {
 public:
  Builder(const Program& program, const Plan& plan, const Topology& topology,
          const CostTable& costs, KnownWays* known)
      : program_(program),
        plan_(plan),
        topology_(topology),
        costs_(costs),
        slots_(slots_of_ranks(topology, plan.intra_inter.placement, world_size(program.grid))),
        cores_(topology, costs, slots_),
        own_ways_(topology),
        paths_(plan, cores_,
               (known != nullptr ? *known : own_ways_).of(plan.network, plan.host_net.queue_pairs)),
        used_(topology, paths_.router()),
        curves_(costs, used_),
        nccl_(plan) {
    all_.links = paths_.link_shares();
    for (const CostTable* const table : all_tables(costs))
      by_table_.emplace(table, PerTable{{paths_, all_.links, table->overlap},
                                        {plan.ccl.tuner, *table, cores_, all_.links},
                                        {*table, used_}});
    find_kinds();
  }

  Communications build() {
    find_patterns();
    for (std::size_t index = 0; index < program_.communicators.size(); ++index)
      price_communicator(index);
    for (const MessagePattern& pattern : all_.message_patterns) price_messages(pattern);
    place_kernels();
    price_copies();
    all_.measured = used_.moves();
    return std::move(all_);
  }

 private:
  // What speaks with a table's numbers.
  struct PerTable {
    Footprints footprints;
    CommunicationPrices prices;
    GpuCurves curves;
  };

  const CostTable& table_at(DeviceId slot) const {
    const int spec = topology_.gpu_spec_of_host[topology_.device(slot).host.index()];
    if (spec < 0) return costs_;
    return table_of(costs_, topology_.gpu_specs[static_cast<std::size_t>(spec)].name);
  }
  // A group is priced by the table of its first member's GPU.
  const CostTable& table_of_group(const HostLayout& layout) const {
    return table_at(layout.slots.front());
  }
  PerTable& speaking(const CostTable& table) { return by_table_.at(&table); }

  void find_kinds() {
    ComputeKinds& computing = all_.computing;
    computing.kinds = {{&costs_, 1.0}};
    const bool alike = topology_.slot_speeds.empty() && costs_.other_gpus.empty();
    if (alike && program_.dealt.empty()) return;
    std::map<std::tuple<const CostTable*, double, std::vector<SampleWork>>, std::int32_t> known{
        {{&costs_, 1.0, {}}, 0}};
    std::map<DeviceId, double> speeds;
    const std::vector<DeviceId> places = rank_slots(topology_);
    for (std::size_t place = 0; place < topology_.slot_speeds.size(); ++place)
      speeds[places[place]] = topology_.slot_speeds[place];
    for (std::size_t rank = 0; rank < slots_.size(); ++rank) {
      const auto speed = speeds.find(slots_[rank]);
      ComputeKind kind{&table_at(slots_[rank]), speed == speeds.end() ? 1.0 : speed->second,
                       samples_of(id_at<Rank>(rank))};
      const auto [number, fresh] = known.try_emplace({kind.costs, kind.speed, kind.samples},
                                                     static_cast<std::int32_t>(known.size()));
      computing.of_rank.push_back(number->second);
      if (fresh) computing.kinds.push_back(std::move(kind));
    }
  }

  std::vector<SampleWork> samples_of(Rank rank) const {
    if (program_.dealt.empty()) return {};
    const int place = coordinate(program_.grid, rank, Axis::data);
    return program_.dealt.of_rank[static_cast<std::size_t>(place)];
  }

  void find_patterns() {
    all_.patterns.resize(program_.communicators.size());
    all_.collectives.resize(program_.communicators.size());
    for (const Communicator& communicator : program_.communicators)
      all_.groups.push_back(all_groups(program_.grid, communicator));
    for (const Body& body : program_.bodies)
      for (const Instruction& instruction : body.instructions) {
        if (const auto* collective = std::get_if<Collective>(&instruction.action)) {
          auto& patterns = all_.patterns[collective->communicator.index()];
          if (pattern_of(all_, *collective) < 0)
            patterns.push_back(collective_pattern(*collective));
        } else if (const auto* send = std::get_if<Send>(&instruction.action)) {
          if (pattern_of(all_, *send) < 0) all_.message_patterns.push_back(message_pattern(*send));
        }
      }
  }

  Axis axis_of(std::size_t communicator) const {
    return program_.communicators[communicator].parts.front().axis;
  }

  void price_communicator(std::size_t communicator) {
    if (all_.patterns[communicator].empty()) return;
    std::vector<HostLayout> layouts;
    layouts.reserve(all_.groups[communicator].size());
    for (const std::vector<Rank>& group : all_.groups[communicator])
      layouts.push_back(layout_of(group));
    std::vector<std::optional<CommunicatorShape>> shapes;  // of those of GPUs
    shapes.reserve(layouts.size());
    for (const HostLayout& layout : layouts) shapes.push_back(shape_of(layout));
    known_.clear();
    for (const CollectivePattern& pattern : all_.patterns[communicator]) {
      std::vector<CommunicationPrice>& prices = all_.collectives[communicator].emplace_back();
      prices.reserve(layouts.size());
      nccl_.begin_pattern();
      for (std::size_t group = 0; group < layouts.size(); ++group)
        prices.push_back(priced({pattern.collective, axis_of(communicator), group, layouts[group],
                                 shapes[group] ? &*shapes[group] : nullptr}));
    }
  }

  std::optional<CommunicatorShape> shape_of(const HostLayout& layout) const {
    if (!all_gpus(layout)) return std::nullopt;
    return communicator_shape(topology_, layout);
  }

  HostLayout layout_of(const std::vector<Rank>& members) const {
    std::vector<DeviceId> slots;
    for (const Rank rank : members) slots.push_back(slots_[rank.index()]);
    return host_layout(topology_, std::move(slots));
  }

  // A collective of one group, the `group`-th of its communicator.
  struct Asked {
    const Collective& collective;
    Axis axis = Axis::data;
    std::size_t group = 0;
    const HostLayout& layout;
    const CommunicatorShape* shape = nullptr;  // null: not all of its members are GPUs
  };

  CommunicationPrice priced(const Asked& asked) {
    from_curve_ = false;
    CommunicationPrice price =
        numbered(asked.shape != nullptr ? on_gpus(asked) : on_processors(asked));
    table_asked_ = &table_of_group(asked.layout);
    note_basis(asked.axis, asked.layout.hosts.size() > 1, price, asked.collective.size);
    if (asked.collective.size <= negligible)
      for (PhaseLoad& phase : price.phases) phase.uses.clear();
    price.moves = class_of(asked.collective.kind);
    if (costs_.processors && cores_.crowd(asked.layout.slots))
      price.spread = costs_.processors->arrival_spread;
    return price;
  }

  bool all_gpus(const HostLayout& layout) const {
    return std::all_of(layout.slots.begin(), layout.slots.end(), [&](DeviceId slot) {
      return topology_.device(slot).kind == DeviceKind::gpu;
    });
  }

  DescribedPrice on_gpus(const Asked& asked) {
    PerTable& own = speaking(table_of_group(asked.layout));
    const NcclAnswers::Answer& answer =
        nccl_.of({asked.collective, asked.axis, asked.layout, *asked.shape}, own.curves);
    if (!answer.choice) {
      const Algorithm algorithm =
          algorithm_without_tuner(asked.collective.kind, answer.rule.algorithm, asked.layout);
      return own.prices.by_links(algorithm, footprint(asked, algorithm), *asked.shape);
    }
    from_curve_ = answer.measured.has_value();
    return own.prices.by_nccl(*answer.choice, footprint(asked, answer.choice->algorithm),
                              answer.measured, asked.collective.size);
  }

  DescribedPrice on_processors(const Asked& asked) {
    const auto& [collective, axis, group, layout, shape] = asked;
    const CollectiveRule rule = rule_for(plan_.ccl, collective.kind, axis);
    const Algorithm algorithm = cpu_algorithm(collective.kind, rule.algorithm, layout);
    const std::vector<CurvePoint>* const curve = curves_.of(collective, algorithm, axis, layout);
    from_curve_ = curve != nullptr;
    return speaking(costs_).prices.by_processors(algorithm, footprint(asked, algorithm),
                                                 collective.size, curve);
  }

  // What curves say is as firm as the weakest of them; elsewhere NCCL's formula speaks, with the
  // table's factors, or the model of transfers among processors.
  Evidence evidence(bool between_hosts) const {
    const CommunicationCosts& costs = table_asked_->communication;
    if (costs_.processors) return from_curve_ ? Evidence::measured : Evidence::guessed;
    if (!from_curve_) return between_hosts ? costs.between_hosts : costs.evidence;
    Evidence weakest = Evidence::measured;
    for (const CollectiveCurve& each : costs.curves)
      if ((each.hosts > 1) == between_hosts) weakest = std::max(weakest, each.evidence);
    return weakest;
  }

  void note_basis(Axis axis, bool between_hosts, const CommunicationPrice& price, Bytes size) {
    const Seconds moving = price.bound > Bandwidth{} ? size / price.bound : Seconds{};
    used_.rests_on({axis, between_hosts, evidence(between_hosts), price.latency + moving});
  }

  void price_copies() {
    std::vector<const CopyCosts*> own;
    for (const DeviceId slot : slots_) own.push_back(&table_at(slot).copy);
    all_.copies = copy_prices(program_, slots_, paths_, speaking(costs_).footprints, own);
    for (auto* const prices : {&all_.copies.out, &all_.copies.in})
      for (CommunicationPrice& price : *prices) price.detail = detail_number("copy engine");
  }

  void place_kernels() {
    if (cores_.pools().empty()) return;
    for (const DeviceId slot : slots_) {
      CommunicationPrice& kernels = all_.kernels.emplace_back();
      kernels.bound = costs_.processors->message_rate;
      kernels.phases.emplace_back();
      if (const std::int32_t pool = cores_.link_of(slot); pool >= 0)
        kernels.phases.front().uses = {{pool, 1.0}};
    }
  }

  CommunicationPrice numbered(DescribedPrice priced) {
    priced.price.detail = detail_number(priced.detail);
    return std::move(priced.price);
  }

  std::int32_t detail_number(const std::string& detail) {
    const auto found = std::find(all_.details.begin(), all_.details.end(), detail);
    if (found == all_.details.end()) all_.details.push_back(detail);
    return static_cast<std::int32_t>(std::find(all_.details.begin(), all_.details.end(), detail) -
                                     all_.details.begin());
  }

  const Footprint& footprint(const Asked& asked, Algorithm algorithm) {
    const CollectiveKind kind = asked.collective.kind;
    const auto [found, fresh] = known_.try_emplace({asked.group, kind, algorithm});
    if (fresh)
      found->second = speaking(table_of_group(asked.layout))
                          .footprints.of_group(asked.layout, kind, algorithm,
                                               delivery_of(plan_.host_net, asked.axis));
    return found->second;
  }

  void price_messages(const MessagePattern& pattern) {
    std::vector<CommunicationPrice>& prices = all_.messages.emplace_back();
    std::vector<Rank>& receivers = all_.receivers.emplace_back();
    prices.reserve(slots_.size());
    receivers.reserve(slots_.size());
    for (std::size_t index = 0; index < slots_.size(); ++index) {
      const Rank to = neighbour(program_.grid, id_at<Rank>(index), pattern.axis, pattern.offset);
      receivers.push_back(to);
      prices.push_back(pattern.memory == Memory::host
                           ? host_message(slots_[index], slots_[to.index()], pattern.size)
                           : message(slots_[index], slots_[to.index()], pattern));
    }
  }

  CommunicationPrice message(DeviceId from, DeviceId to, const MessagePattern& pattern) {
    const Delivery delivery = delivery_of(plan_.host_net, pattern.axis);
    paths_.between(from, to, delivery, route_);
    MessageWay way = way_of(from, to, route_);
    table_asked_ = &table_at(from);
    PerTable& own = speaking(*table_asked_);
    const std::vector<CurvePoint>* const curve =
        way.ends == DeviceKind::gpu ? own.curves.of_message(from, to, delivery, pattern)
                                    : curves_.of_message(from, to, pattern);
    const bool between_hosts = way.reach == Reach::between_hosts;
    from_curve_ = curve != nullptr;
    CommunicationPrice price =
        numbered(own.prices.message(std::move(way), delivery, pattern.size, curve));
    if (from != to) note_basis(pattern.axis, between_hosts, price, pattern.size);
    hold_back(price, from, to);
    return price;
  }

  CommunicationPrice host_message(DeviceId from, DeviceId to, Bytes size) {
    const Host& host = topology_.host(topology_.device(from).host);
    CommunicationPrice price = numbered(speaking(costs_).prices.host_message(
        way_of(from, to, paths_.between_host_memories(from, to)),
        topology_.host_specs[static_cast<std::size_t>(host.spec)].memory_bandwidth, size));
    hold_back(price, from, to);
    return price;
  }

  void hold_back(CommunicationPrice& price, DeviceId from, DeviceId to) const {
    const HeldBack held = held_between(topology_, from, to);
    price.held = held.by;
    price.flight += held.late;
  }

  MessageWay way_of(DeviceId from, DeviceId to, const Route& route) {
    const Reach reach = same_host(topology_, from, to) ? Reach::inside_host : Reach::between_hosts;
    return {route.latency, !route.links.empty(), speaking(costs_).footprints.of_path(route), reach,
            topology_.device(from).kind};
  }

  const Program& program_;
  const Plan& plan_;
  const Topology& topology_;
  const CostTable& costs_;
  std::vector<DeviceId> slots_;  // of each rank
  const CorePools cores_;
  KnownWays own_ways_;  // where nobody has any
  Paths paths_;
  Communications all_;
  UsedCurves used_;
  ProcessorCurves curves_;
  std::map<const CostTable*, PerTable> by_table_;
  const CostTable* table_asked_ = &costs_;  // of what is being priced
  bool from_curve_ = false;                 // what is being priced: it takes a measured time
  NcclAnswers nccl_;                        // of the pattern that is being priced
  Route route_;                             // of the message that is being priced
  // Footprints of the communicator that is being priced, by group, kind and algorithm.
  std::map<std::tuple<std::size_t, CollectiveKind, Algorithm>, Footprint> known_;
};

}  // namespace

Communications communications(const Program& program, const Plan& plan, const Topology& topology,
                              const CostTable& costs, KnownWays* known) {
  if (known != nullptr && !known->are_on(topology)) known = nullptr;
  return Builder(program, plan, topology, costs, known).build();
}

std::int32_t pattern_of(const Communications& communications, const Collective& collective) {
  if (collective.recorded >= 0) return collective.recorded;
  const auto& patterns = communications.patterns[collective.communicator.index()];
  const auto found = std::find(patterns.begin(), patterns.end(), collective_pattern(collective));
  return found == patterns.end() ? -1 : static_cast<std::int32_t>(found - patterns.begin());
}

std::int32_t pattern_of(const Communications& communications, const Send& send) {
  if (send.recorded >= 0) return send.recorded;
  const auto& patterns = communications.message_patterns;
  const auto found = std::find(patterns.begin(), patterns.end(), message_pattern(send));
  return found == patterns.end() ? -1 : static_cast<std::int32_t>(found - patterns.begin());
}

std::int32_t pattern_of(const Communications& communications, const Instruction& instruction) {
  if (const auto* const collective = std::get_if<Collective>(&instruction.action))
    return pattern_of(communications, *collective);
  if (const auto* const send = std::get_if<Send>(&instruction.action))
    return pattern_of(communications, *send);
  return -1;
}

}  // namespace quintet
