#include "sim/price/communications.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>
#include <tuple>

#include "sim/ccl/choice/cpu_choice.h"
#include "sim/ccl/choice/tuner.h"
#include "sim/host_net/host_path.h"
#include "sim/intra_inter/group_layout.h"
#include "sim/price/footprint.h"
#include "sim/price/gpu_curves.h"
#include "sim/price/group_shape.h"
#include "sim/price/paths.h"
#include "sim/price/processor_curves.h"
#include "sim/price/transport_price.h"
#include "sim/price/used_curves.h"
#include "sim/program/groups.h"

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
          const CostTable& costs)
      : program_(program),
        plan_(plan),
        topology_(topology),
        costs_(costs),
        cores_(core_pools(topology, costs)),
        paths_(topology, plan, cores_),
        slots_(slots_of_ranks(topology, plan.intra_inter.placement, world_size(program.grid))),
        footprints_(paths_, all_.links, costs.overlap),
        prices_(plan.ccl.tuner, costs, cores_, all_.links),
        used_(topology, plan.network),
        curves_(costs, used_),
        gpu_curves_(costs, used_) {
    all_.links = paths_.link_shares();
    for (const DeviceId slot : slots_) ++ranks_on_[cores_.link_of(slot)];
  }

  Communications build() {
    find_patterns();
    for (std::size_t index = 0; index < program_.communicators.size(); ++index)
      price_communicator(index);
    for (const MessagePattern& pattern : all_.message_patterns) price_messages(pattern);
    place_kernels();
    all_.measured = used_.moves();
    return std::move(all_);
  }

 private:
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
    for (const CollectivePattern& pattern : all_.patterns[communicator]) {
      std::vector<Transport>& transports = all_.collectives[communicator].emplace_back();
      for (std::size_t group = 0; group < all_.groups[communicator].size(); ++group)
        transports.push_back(priced(communicator, group, pattern.collective));
    }
  }

  Transport priced(std::size_t communicator, std::size_t group, const Collective& asked) {
    Transport transport = collective(communicator, group, asked);
    if (asked.size <= negligible) transport.uses.clear();
    transport.moves = class_of(asked.kind);
    if (costs_.processors && crowd_cores(slots_of(communicator, group)))
      transport.spread = costs_.processors->arrival_spread;
    return transport;
  }

  // Whether ranks, these among them, are more than the cores that they share.
  bool crowd_cores(const std::vector<DeviceId>& members) const {
    return std::any_of(members.begin(), members.end(), [&](DeviceId member) {
      const std::int32_t pool = cores_.link_of(member);
      return pool >= 0 && ranks_on_.at(pool) > cores_.cores_of(pool);
    });
  }

  Transport collective(std::size_t communicator, std::size_t group, const Collective& asked) {
    const GroupShape shape = group_shape(topology_, slots_, all_.groups[communicator][group]);
    const Axis axis = axis_of(communicator);
    const CollectiveRule rule = rule_for(plan_.ccl, asked.kind, axis);
    const auto load = [&](Algorithm algorithm) -> const Footprint& {
      return footprint(communicator, group, asked.kind, algorithm, shape);
    };
    if (shape.gpus) {
      const auto choice = choose(plan_.ccl.tuner, asked.kind, asked.size, shape.tuner, rule);
      if (choice.has_value()) {
        const std::vector<DeviceId> slots = slots_of(communicator, group);
        return numbered(prices_.by_nccl(
            *choice, load(choice->algorithm),
            gpu_curves_.of({asked, axis, rule, *choice, shape, slots, delivery_on(communicator)}),
            asked.size));
      }
    }
    const Algorithm algorithm =
        shape.gpus ? algorithm_without_tuner(asked.kind, rule.algorithm, shape.layout)
                   : cpu_algorithm(asked.kind, rule.algorithm, shape.layout);
    const std::vector<CurvePoint>* const curve =
        shape.gpus ? nullptr
                   : curves_.of(asked, algorithm, axis, shape, slots_of(communicator, group));
    return numbered(prices_.by_links(algorithm, load(algorithm), shape, asked.size, curve));
  }

  std::vector<DeviceId> slots_of(std::size_t communicator, std::size_t group) const {
    std::vector<DeviceId> slots;
    for (const Rank rank : all_.groups[communicator][group]) slots.push_back(slots_[rank.index()]);
    return slots;
  }

  void place_kernels() {
    if (cores_.links.empty()) return;
    for (const DeviceId slot : slots_) {
      Transport& kernels = all_.kernels.emplace_back();
      kernels.bound = costs_.processors->message_rate;
      if (const std::int32_t pool = cores_.link_of(slot); pool >= 0) kernels.uses = {{pool, 1.0}};
    }
  }

  Transport numbered(PricedTransport priced) {
    priced.transport.detail = detail_number(priced.detail);
    return std::move(priced.transport);
  }

  std::int32_t detail_number(const std::string& detail) {
    const auto found = std::find(all_.details.begin(), all_.details.end(), detail);
    if (found == all_.details.end()) all_.details.push_back(detail);
    return static_cast<std::int32_t>(std::find(all_.details.begin(), all_.details.end(), detail) -
                                     all_.details.begin());
  }

  using FootprintKey = std::tuple<std::size_t, std::size_t, CollectiveKind, Algorithm>;

  const Footprint& footprint(std::size_t communicator, std::size_t group, CollectiveKind kind,
                             Algorithm algorithm, const GroupShape& shape) {
    const auto [found, fresh] = known_.try_emplace({communicator, group, kind, algorithm});
    if (!fresh) return found->second;
    found->second = footprints_.of_group(slots_of(communicator, group), kind, algorithm, shape,
                                         delivery_on(communicator));
    return found->second;
  }

  Delivery delivery_on(std::size_t communicator) const {
    return delivery_of(plan_.host_net, axis_of(communicator));
  }

  void price_messages(const MessagePattern& pattern) {
    std::vector<Transport>& transports = all_.messages.emplace_back();
    std::vector<Rank>& receivers = all_.receivers.emplace_back();
    for (std::size_t index = 0; index < slots_.size(); ++index) {
      const Rank to = neighbour(program_.grid, id_at<Rank>(index), pattern.axis, pattern.offset);
      receivers.push_back(to);
      transports.push_back(pattern.memory == Memory::host
                               ? host_message(slots_[index], slots_[to.index()], pattern.size)
                               : message(slots_[index], slots_[to.index()], pattern));
    }
  }

  Transport message(DeviceId from, DeviceId to, const MessagePattern& pattern) {
    const Delivery delivery = delivery_of(plan_.host_net, pattern.axis);
    const Path path = paths_.between(from, to, delivery);
    const DeviceKind kind = topology_.device(from).kind;
    const std::vector<CurvePoint>* const curve =
        kind == DeviceKind::gpu ? gpu_curves_.of_message(from, to, delivery, pattern)
                                : curves_.of_message(from, to, pattern);
    return numbered(
        prices_.message(path, footprints_.of_path(path), kind, delivery, pattern.size, curve));
  }

  Transport host_message(DeviceId from, DeviceId to, Bytes size) {
    const Path path = paths_.between_host_memories(from, to);
    const Host& host = topology_.host(topology_.device(from).host);
    return numbered(prices_.host_message(
        path, footprints_.of_path(path),
        topology_.host_specs[static_cast<std::size_t>(host.spec)].memory_bandwidth, size));
  }

  const Program& program_;
  const Plan& plan_;
  const Topology& topology_;
  const CostTable& costs_;
  const CorePools cores_;
  Paths paths_;
  std::vector<DeviceId> slots_;           // of each rank
  std::map<std::int32_t, int> ranks_on_;  // by link of cores
  Communications all_;
  Footprints footprints_;
  TransportPrices prices_;
  UsedCurves used_;
  ProcessorCurves curves_;
  GpuCurves gpu_curves_;
  std::map<FootprintKey, Footprint> known_;
};

}  // namespace

Communications communications(const Program& program, const Plan& plan, const Topology& topology,
                              const CostTable& costs) {
  return Builder(program, plan, topology, costs).build();
}

std::int32_t pattern_of(const Communications& communications, const Collective& collective) {
  const auto& patterns = communications.patterns[collective.communicator.index()];
  const auto found = std::find(patterns.begin(), patterns.end(), collective_pattern(collective));
  return found == patterns.end() ? -1 : static_cast<std::int32_t>(found - patterns.begin());
}

std::int32_t pattern_of(const Communications& communications, const Send& send) {
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
