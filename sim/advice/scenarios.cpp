#include "sim/advice/scenarios.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "sim/advice/machine_change.h"
#include "sim/answer/assumptions.h"

namespace quintet {
namespace {

// Parts that carry or do the same, most first.
struct Kinds {
  std::vector<FaultCase> cases;
  int left_out = 0;
};

std::string wire_name(const Topology& topology, const Link& link) {
  const Device& from = topology.device(link.from);
  const Device& to = topology.device(link.to);
  if (from.kind == DeviceKind::nic) return from.name;
  if (to.kind == DeviceKind::nic) return to.name;
  return from.name + "-" + to.name;
}

// Wires of the network by tier and by what both directions carry; parallel cables between two
// switches have one name, and are slow together.
Kinds wires(const Topology& topology, const std::vector<Bytes>& carried, bool of_nics) {
  using Key = std::tuple<double, double, int>;  // negative, so that the most is first; and the tier
  std::map<Key, std::map<std::string, int>> kinds;
  for (std::size_t there = 0; there + 1 < topology.links.size(); there += 2) {
    const Link& link = topology.links[there];
    if (link.kind != LinkKind::network) continue;
    const auto part = part_of(topology, link);
    if (!part || (*part == MachinePart::nic) != of_nics) continue;
    const double one = carried.empty() ? 1 : carried[there].value,
                 other = carried.empty() ? 1 : carried[there + 1].value;
    if (one + other <= 0) continue;
    ++kinds[{-std::max(one, other), -std::min(one, other), static_cast<int>(*part)}]
           [wire_name(topology, link)];
  }
  Kinds found;
  for (const auto& [key, names] : kinds)
    if (found.cases.size() < most_cases)
      found.cases.push_back({names.begin()->first, static_cast<int>(names.size()), {}});
    else
      ++found.left_out;
  return found;
}

// The places of ranks, by what they do.
Kinds gpus(const Plan& plan, const Topology& topology, const StepDetail& detail) {
  const std::vector<DeviceId> slots = rank_slots(topology);
  const std::vector<int>& placement = plan.intra_inter.placement;
  const auto ranks = std::min(slots.size(), static_cast<std::size_t>(world_size(plan.parallelism)));
  std::map<std::int32_t, FaultCase> kinds;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::int32_t kind = rank < detail.kind_of_rank.size() ? detail.kind_of_rank[rank] : 0;
    const std::size_t slot = placement.empty() ? rank : static_cast<std::size_t>(placement[rank]);
    const auto [found, is_new] =
        kinds.try_emplace(kind, FaultCase{topology.device(slots[slot]).name, 0, {}});
    ++found->second.alike;
  }
  Kinds all;
  for (const auto& [kind, each] : kinds) all.cases.push_back(each);
  // Evenly from the first stage to the last.
  const std::size_t count = all.cases.size();
  if (count <= most_cases) return all;
  std::vector<FaultCase> some;
  for (std::size_t i = 0; i < most_cases; ++i)
    some.push_back(all.cases[i * (count - 1) / (most_cases - 1)]);
  return {some, static_cast<int>(count - most_cases)};
}

Scenario slow(std::string name, Kinds kinds, const char* share) {
  for (FaultCase& each : kinds.cases) each.faults.slow = {each.part + "=" + share};
  return {std::move(name), std::move(kinds.cases), kinds.left_out, {}};
}

Scenario failed(std::string name, Kinds kinds) {
  for (FaultCase& each : kinds.cases) each.faults.fail = {each.part};
  return {std::move(name), std::move(kinds.cases), kinds.left_out, {}};
}

bool has_several_nics(const Topology& topology) {
  return std::any_of(topology.hosts.begin(), topology.hosts.end(),
                     [](const Host& host) { return host.nics.size() > 1; });
}

void add_costs(const Plan& plan, const CostTable& costs, std::vector<Scenario>& all) {
  for (Variant& variant : variants_of(plan, costs, false))
    if (variant.plan == plan)
      all.push_back({std::move(variant.assumption), {}, 0, {std::move(variant.costs)}});
}

}  // namespace

std::vector<Scenario> scenarios(const Plan& plan, const Machine& machine,
                                const StepDetail& detail) {
  const Topology& topology = machine.topology;
  const Kinds nics = wires(topology, detail.carried, true);
  std::vector<Scenario> all{slow("a NIC at half its rate", nics, "0.5"),
                            slow("a cable between switches at half its rate",
                                 wires(topology, detail.carried, false), "0.5")};
  if (has_several_nics(topology)) all.push_back(failed("a NIC that has failed", nics));
  if (!topology.gpu_specs.empty())
    all.push_back(slow("a GPU at 80 % of its speed", gpus(plan, topology, detail), "0.8"));
  std::erase_if(all, [](const Scenario& each) { return each.cases.empty(); });
  add_costs(plan, machine.costs, all);
  return all;
}

}  // namespace quintet
