// Speed of the network room: isolated flows, shared components. Figures are per start and end of a
// flow.
#include <benchmark/benchmark.h>

#include "sim/network/fluid/fluid_fabric.h"

namespace quintet {
namespace {

// Rings of messages, each on three links of its own: nothing is ever shared.
void isolated_flows(benchmark::State& state) {
  const auto lanes = static_cast<std::int32_t>(state.range(0));
  constexpr int rounds = 100;
  for (auto _ : state) {
    EventQueue events;
    FluidFabric fabric(events, std::vector<LinkShare>(static_cast<std::size_t>(3 * lanes), {50e9}));
    const std::function<void(std::int32_t, int)> next = [&](std::int32_t lane, int round) {
      if (round == rounds) return;
      fabric.start_flow({{{{3 * lane}, {3 * lane + 1}, {3 * lane + 2}}},
                         1e6 + 1e3 * ((lane * 7919 + round * 104729) % 997),
                         {5e-6},
                         [&next, lane, round] { next(lane, round + 1); }});
    };
    for (std::int32_t lane = 0; lane < lanes; ++lane) next(lane, 0);
    events.run();
  }
  state.SetItemsProcessed(state.iterations() * lanes * rounds);
}
BENCHMARK(isolated_flows)->Arg(8)->Arg(1024)->Arg(16384)->Unit(benchmark::kMillisecond);

// Groups of flows over one common link: each end changes the rates of its group only.
void flows_in_groups(benchmark::State& state) {
  const auto members = static_cast<std::int32_t>(state.range(0));
  const std::int32_t groups = 4096 / members;
  for (auto _ : state) {
    EventQueue events;
    FluidFabric fabric(events,
                       std::vector<LinkShare>(static_cast<std::size_t>(4096 + groups), {50e9}));
    for (std::int32_t flow = 0; flow < 4096; ++flow)
      fabric.start_flow({{{{flow}, {4096 + flow / members}}}, 1e6 + flow, {5e-6}, nullptr});
    events.run();
  }
  state.SetItemsProcessed(state.iterations() * 4096);
}
BENCHMARK(flows_in_groups)->Arg(2)->Arg(8)->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond);

// One solve of n flows over n / 4 links, five hops each.
void one_large_solve(benchmark::State& state) {
  const auto flows = static_cast<std::int32_t>(state.range(0));
  std::vector<LinkShare> links;
  for (std::int32_t link = 0; link < flows / 4; ++link)
    links.push_back({40e9 + 1e7 * (link % 997)});
  std::vector<FlowDemand> demands(static_cast<std::size_t>(flows));
  for (std::int32_t flow = 0; flow < flows; ++flow)
    for (std::int32_t hop = 0; hop < 5; ++hop)
      demands[static_cast<std::size_t>(flow)].uses.push_back(
          {static_cast<std::int32_t>((flow * 7919LL + hop * 104729LL) % (flows / 4))});
  for (auto _ : state) benchmark::DoNotOptimize(fair_share(links, demands));
  state.SetItemsProcessed(state.iterations() * flows);
}
BENCHMARK(one_large_solve)->Arg(1024)->Arg(16384)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quintet
