// What a search pays for plans at the analytic fidelity: lists of neighbouring plans, each asked
// for its memory, what fits for its bound, and what the bound does not exclude for its step. By
// hand, in Release, on one core:
//   cmake --build BUILD --target analytic_search_benchmark
//   BUILD/tests/benchmark/analytic_search_benchmark turing
//   BUILD/tests/benchmark/analytic_search_benchmark llama
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include "sim/analytic/analytic_model.h"
#include "sim/plan/problems/problems.h"
#include "tests/support/shipped.h"

namespace quintet::test {
namespace {

// Of this core's time: others may share the machine.
struct Clock {
  static std::clock_t now() { return std::clock(); }
};

double seconds_since(std::clock_t since) {
  return static_cast<double>(std::clock() - since) / CLOCKS_PER_SEC;
}

struct Search {
  Model model;
  Topology topology;
  CostTable costs;
  int global_batch = 0;
  int sequence_length = 0;
  std::vector<Sharding> shardings;
};

template <class Use>
void each_layout(const Search& search, int ranks, Use use) {
  for (const int tensor : {1, 2, 4, 8})
    for (int pipeline = 1; pipeline <= search.model.layers && pipeline <= 64; ++pipeline) {
      if (search.model.layers % pipeline != 0 || ranks % (tensor * pipeline) != 0) continue;
      const int data = ranks / (tensor * pipeline);
      if (search.global_batch % data != 0) continue;
      for (const int micro_batch : {1, 2, 4, 8}) {
        if (search.global_batch / data % micro_batch != 0) continue;
        for (const int chunks : {1, 2, 3, 5, 7}) {
          if (chunks > 1 && (pipeline == 1 || search.model.layers % (pipeline * chunks) != 0))
            continue;
          use(tensor, pipeline, data, micro_batch, chunks);
        }
      }
    }
}

std::vector<Plan> layouts_of(const Search& search) {
  std::vector<Plan> layouts;
  const int ranks = static_cast<int>(rank_slots(search.topology).size());
  each_layout(search, ranks, [&](int tensor, int pipeline, int data, int micro_batch, int chunks) {
    for (const bool sequence_parallel : {false, true})
      for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full})
        for (const Sharding sharding : search.shardings)
          for (const double bucket : {0.0, 25e6, 100e6, 400e6}) {
            Plan plan;
            Parallelism& p = plan.parallelism;
            p.tensor = tensor;
            p.pipeline = pipeline;
            p.data = data;
            p.micro_batch = micro_batch;
            p.micro_batches = search.global_batch / data / micro_batch;
            p.virtual_stages = chunks;
            if (chunks > 1) p.schedule = PipelineSchedule::interleaved;
            p.sequence_length = search.sequence_length;
            p.sequence_parallel = sequence_parallel;
            p.recompute = recompute;
            p.sharding = sharding;
            plan.ccl.bucket = Bytes{bucket};
            layouts.push_back(plan);
          }
  });
  // One question to the checks for each is theirs to pay, not ours.
  std::erase_if(layouts, [&](const Plan& plan) {
    return !problems(plan, search.model, search.topology).empty();
  });
  return layouts;
}

// What a layout may still choose in the layers below.
std::vector<Plan> below(const Plan& layout) {
  std::vector<Plan> plans;
  for (const bool overlap : {true, false})
    for (const int algorithm :
         {-1, static_cast<int>(Algorithm::ring), static_cast<int>(Algorithm::tree),
          static_cast<int>(Algorithm::nvls)})
      for (const Decomposition decomposition : {Decomposition::flat, Decomposition::hierarchical})
        for (const Delivery delivery : {Delivery::direct, Delivery::staged})
          for (const int queue_pairs : {1, 4})
            for (const Routing routing : {Routing::rail_pinned, Routing::ecmp, Routing::spray}) {
              Plan plan = layout;
              plan.ccl.overlap_gradients = plan.ccl.overlap_parameters = overlap;
              if (algorithm >= 0)
                plan.ccl.rules = {{.axis = Axis::data, .algorithm = Algorithm{algorithm}}};
              plan.intra_inter.decompositions = {{Axis::data, decomposition}};
              plan.host_net.delivery = delivery;
              plan.host_net.queue_pairs = queue_pairs;
              plan.network.routing = routing;
              plans.push_back(plan);
            }
  return plans;
}

void run(const Search& search, bool all_layers, std::size_t most) {
  const std::vector<Plan> layouts = layouts_of(search);
  AnalyticModel model(search.model, search.topology, search.costs);
  const auto since = Clock::now();
  std::size_t candidates = 0, fitting = 0, priced = 0;
  double best = std::numeric_limits<double>::infinity(), bounding = 0, pricing = 0;
  const auto ask = [&](const Plan& plan) {
    ++candidates;
    if (!model.memory(plan).fits) return;
    ++fitting;
    const auto begun = Clock::now();
    const double bound = model.bound(plan).value;
    bounding += seconds_since(begun);
    if (all_layers && bound >= best) return;
    ++priced;
    const auto asked = Clock::now();
    const Result<AnalyticStep> step = model.step(plan);
    pricing += seconds_since(asked);
    if (step) best = std::min(best, step->step.value);
  };
  for (const Plan& layout : layouts) {
    if (candidates >= most) break;
    if (!all_layers)
      for (const bool overlap : {true, false}) {
        Plan plan = layout;
        plan.ccl.overlap_gradients = overlap;
        ask(plan);
      }
    else
      for (const Plan& plan : below(layout)) ask(plan);
  }
  const double took = seconds_since(since);
  fmt::print(
      "{} candidates, {} fit, {} priced, best {:.4f} s: {:.3f} s in all, {:.1f} us a candidate;"
      " bounds {:.1f} us each, steps {:.1f} us each\n",
      candidates, fitting, priced, best, took, 1e6 * took / static_cast<double>(candidates),
      1e6 * bounding / static_cast<double>(std::max<std::size_t>(fitting, 1)),
      1e6 * pricing / static_cast<double>(std::max<std::size_t>(priced, 1)));
}

// Turing-NLG 530B (arXiv 2201.11990): 105 layers, 20480 wide, 128 heads, on 2,240 A100.
Search turing() {
  return {shipped_model("korthikanti-530b"),
          shipped_topology("selene-a100", 280),
          shipped_costs("a100-sxm-80gb"),
          2240,
          2048,
          {Sharding::none, Sharding::optimizer}};
}

// Llama 3 405B (arXiv 2407.21783 table 3) on its 16,384 H100.
Search llama() {
  Search search{shipped_model("llama-3-70b"),
                shipped_topology("dgx-h100-1024", 2048),
                shipped_costs("h100-sxm-80gb"),
                2048,
                8192,
                {Sharding::none, Sharding::optimizer, Sharding::parameters}};
  search.model.layers = 126;
  search.model.hidden = 16384;
  search.model.heads = 128;
  search.model.feed_forward = 53248;
  return search;
}

}  // namespace
}  // namespace quintet::test

int main(int count, char** words) {
  using namespace quintet::test;
  if (count > 1 && std::strcmp(words[1], "llama") == 0)
    run(llama(), true, count > 2 ? std::stoul(words[2]) : 1'000'000);
  else
    run(turing(), false, 8112);
}
