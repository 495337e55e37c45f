// A small cluster and a step on it, drawn at random: what folding is tested on.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/plan/problems/problems.h"
#include "tests/support/dice.h"
#include "tests/support/shipped.h"

namespace quintet::test {

struct RandomStep {
  Model model;
  Plan plan;
  Topology topology;
};

inline int one_of(Dice& dice, const std::vector<int>& choices) {
  return choices[static_cast<std::size_t>(dice.below(static_cast<int>(choices.size())))];
}

// Two or three tiers of 8 to 40 ports, rails or a fat tree, some of them oversubscribed.
inline Topology random_topology(Dice& dice, int hosts) {
  const bool rails = dice.below(2) == 0;
  const std::string shape =
      rails ? fmt::format(R"("family": "rail_optimised", "hosts_per_leaf": {})", 1 + dice.below(3))
            : fmt::format(R"("family": "fat_tree", "oversubscription": {})",
                          one_of(dice, {1, 1, 2, 3}));
  const std::string host = dice.below(2) == 0 ? "hosts/dgx-a100.json" : "hosts/a100-4nic.json";
  const std::string text = fmt::format(
      R"({{"name": "random", "host": "{}", "hosts": {},
      "network": {{{}, "protocol": "infiniband", "tiers": {},
      "switch": {{"name": "switch", "ports": {}, "power": "1 kW", "source": "test"}},
      "host_link": {{"name": "cable", "latency": "0.9 us", "source": "test"}},
      "trunk": {{"name": "trunk", "bandwidth": "{} Gb/s", "latency": "0.45 us",
                 "source": "test"}}}}}})",
      host, hosts, shape, 2 + dice.below(2), one_of(dice, {8, 12, 16, 40}),
      one_of(dice, {200, 200, 100, 400}));
  const Result<Topology> topology =
      parse_topology(text, "random", std::filesystem::path(source("topologies")));
  return topology ? *topology : Topology{};
}

// Cables that have lost part of their rate.
inline void break_links(Dice& dice, Topology& topology) {
  if (topology.links.empty() || dice.below(3) != 0) return;
  for (int fault = 1 + dice.below(4); fault > 0; --fault) {
    Link& link =
        topology
            .links[static_cast<std::size_t>(dice.below(static_cast<int>(topology.links.size())))];
    link.bandwidth = dice.between(0.05, 0.9) * link.bandwidth;
  }
}

inline std::vector<int> random_stage_layers(Dice& dice, const Parallelism& parallelism,
                                            int layers) {
  const int pieces = parallelism.pipeline * parallelism.virtual_stages;
  std::vector<int> stages(static_cast<std::size_t>(pieces), 1);
  for (int rest = layers - pieces; rest > 0; --rest)
    ++stages[static_cast<std::size_t>(dice.below(pieces))];
  return stages;
}

inline Parallelism random_parallelism(Dice& dice, int ranks, int layers) {
  Parallelism parallelism;
  parallelism.tensor = one_of(dice, {1, 2, 4, 8});
  parallelism.pipeline = one_of(dice, {1, 2, 4});
  parallelism.data = std::max(1, ranks / (parallelism.tensor * parallelism.pipeline));
  std::vector<Axis>& order = parallelism.order;
  for (std::size_t last = order.size() - 1; last > 0; --last)
    if (dice.below(2) == 0)
      std::swap(order[last], order[static_cast<std::size_t>(dice.below(static_cast<int>(last)))]);
  parallelism.sequence_length = 512;
  parallelism.micro_batches = one_of(dice, {1, 2, 4, 8});
  parallelism.sequence_parallel = dice.below(2) == 0;
  if (parallelism.pipeline > 1) {
    constexpr PipelineSchedule schedules[] = {
        PipelineSchedule::one_f_one_b, PipelineSchedule::gpipe, PipelineSchedule::interleaved};
    parallelism.schedule = schedules[dice.below(3)];
    if (parallelism.schedule == PipelineSchedule::interleaved) parallelism.virtual_stages = 2;
    if (dice.below(2) == 0)
      parallelism.stage_layers = random_stage_layers(dice, parallelism, layers);
  }
  constexpr Sharding shardings[] = {Sharding::none, Sharding::optimizer, Sharding::gradients,
                                    Sharding::parameters};
  parallelism.sharding = shardings[dice.below(4)];
  return parallelism;
}

inline Plan random_plan(Dice& dice, int ranks, int layers) {
  Plan plan;
  plan.parallelism = random_parallelism(dice, ranks, layers);
  plan.ccl.bucket = Bytes{static_cast<double>(one_of(dice, {0, 20'000'000, 300'000'000}))};
  constexpr Routing routings[] = {Routing::ecmp, Routing::rail_pinned, Routing::spray};
  plan.network.routing = routings[dice.below(3)];
  plan.network.hash_seed = static_cast<std::uint64_t>(dice.below(1000));
  plan.host_net.queue_pairs = one_of(dice, {1, 1, 2, 4});
  plan.host_net.delivery = dice.below(4) == 0 ? Delivery::staged : Delivery::direct;
  plan.intra_inter.forwarding = dice.below(3) == 0 ? Forwarding::none : Forwarding::same_rail;
  if (dice.below(3) == 0)
    plan.ccl.rules = {
        {.axis = Axis::data, .algorithm = dice.below(2) == 0 ? Algorithm::ring : Algorithm::tree}};
  if (dice.below(4) == 0) {
    std::vector<int>& placement = plan.intra_inter.placement;
    placement.resize(static_cast<std::size_t>(ranks));
    std::iota(placement.begin(), placement.end(), 0);
    for (std::size_t last = placement.size() - 1; last > 0; --last)
      std::swap(placement[last],
                placement[static_cast<std::size_t>(dice.below(static_cast<int>(last) + 1))]);
  }
  return plan;
}

// One that can be simulated: what does not fit is drawn again.
inline RandomStep random_step(Dice& dice) {
  while (true) {
    RandomStep step;
    step.model = shipped_model("llama-3-8b");
    step.model.layers = one_of(dice, {4, 6, 8});
    const int hosts = 2 + dice.below(4);
    step.topology = random_topology(dice, hosts);
    if (step.topology.hosts.empty()) continue;
    break_links(dice, step.topology);
    step.plan = random_plan(dice, 8 * hosts, step.model.layers);
    if (problems(step.plan, step.model, step.topology).empty()) return step;
  }
}

}  // namespace quintet::test
