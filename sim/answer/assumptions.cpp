#include "sim/answer/assumptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace quintet {

namespace {

constexpr double slower = 0.9;  // of a rate

class Variants {
 public:
  Variants(const Plan& plan, const CostTable& costs) : plan_(plan), costs_(costs) {}

  template <class Change>
  void plan(std::string assumption, Change change) {
    Variant variant{std::move(assumption), plan_, costs_};
    change(variant.plan);
    made_.push_back(std::move(variant));
  }
  template <class Change>
  void costs(std::string assumption, Change change) {
    Variant variant{std::move(assumption), plan_, costs_};
    change(variant.costs);
    if (!(variant.costs == costs_)) made_.push_back(std::move(variant));
  }
  std::vector<Variant> made() && { return std::move(made_); }

 private:
  const Plan& plan_;
  const CostTable& costs_;
  std::vector<Variant> made_;
};

void add_routing(const Plan& plan, Variants& into) {
  const Routing own = plan.network.routing;
  for (const Routing other : {Routing::ecmp, Routing::rail_pinned, Routing::spray})
    if (other != own)
      into.plan(fmt::format("routing {} in place of {}", name_of(other), name_of(own)),
                [&](Plan& changed) { changed.network.routing = other; });
}

void add_overlap(const Plan& plan, Variants& into) {
  const auto toggled = [](const char* what, bool overlaps) {
    return fmt::format("{} {}", what, overlaps ? "not overlapped" : "overlapped");
  };
  into.plan(toggled("gradients", plan.ccl.overlap_gradients),
            [](Plan& changed) { changed.ccl.overlap_gradients = !changed.ccl.overlap_gradients; });
  if (plan.parallelism.sharding != Sharding::none)
    into.plan(toggled("weights' gathers", plan.ccl.overlap_parameters), [](Plan& changed) {
      changed.ccl.overlap_parameters = !changed.ccl.overlap_parameters;
    });
}

void add_rates(Variants& into) {
  into.costs("products 10 % slower", [](CostTable& table) {
    for (GemmCosts& gemm : table.gemm)
      for (GemmTile& tile : gemm.tiles) tile.efficiency *= slower;
  });
  into.costs("attention 10 % slower", [](CostTable& table) {
    for (AttentionCosts& attention : table.attention) {
      attention.forward_efficiency *= slower;
      attention.backward_efficiency *= slower;
    }
  });
  into.costs("memory-bound kernels 10 % slower", [](CostTable& table) {
    for (MemoryCosts& memory : table.memory) {
      memory.bandwidth = slower * memory.bandwidth;
      memory.cached = slower * memory.cached;
    }
  });
  into.costs("NCCL's formula 10 % slower", [](CostTable& table) {
    table.communication.bandwidth_factor *= slower;
    table.communication.latency_factor /= slower;
  });
  into.costs("launches twice as long", [](CostTable& table) {
    table.launch.eager = 2 * table.launch.eager;
    table.launch.graph = 2 * table.launch.graph;
  });
}

}  // namespace

std::vector<Variant> variants_of(const Plan& plan, const CostTable& costs, bool between_hosts) {
  Variants variants(plan, costs);
  if (between_hosts) add_routing(plan, variants);
  if (plan.parallelism.data > 1) add_overlap(plan, variants);
  add_rates(variants);
  return std::move(variants).made();
}

std::vector<AssumptionEffect> assumption_effects(
    Seconds step, const std::vector<Variant>& variants,
    const std::function<Result<Seconds>(const Variant&)>& step_of) {
  constexpr double least = 0.001;
  std::vector<AssumptionEffect> effects;
  for (const Variant& variant : variants) {
    const Result<Seconds> other = step_of(variant);
    if (!other || step <= Seconds{}) continue;
    const double change = *other / step - 1;
    if (std::abs(change) >= least) effects.push_back({variant.assumption, change});
  }
  std::stable_sort(effects.begin(), effects.end(), [](const auto& left, const auto& right) {
    return std::abs(left.change) > std::abs(right.change);
  });
  return effects;
}

}  // namespace quintet
