// Speed of routing on 1,024 GPUs: 128 hosts of 8, 4 groups of 8 rails, 32 spines.
#include <benchmark/benchmark.h>

#include "sim/network/route/route.h"
#include "tests/support/small_topologies.h"

namespace quintet {
namespace {

enum class Ends { nics, gpus };

// A fresh router each time: its tables are part of the price.
void routes(benchmark::State& state, Network network, Ends ends) {
  const RailOptimised cluster(128, 8, 32, 32, 4);
  constexpr std::size_t count = 100'000;
  for (auto _ : state) {
    const Router router(cluster.topology(), network);
    for (std::size_t i = 0; i < count; ++i) {
      const SmallHost& from = cluster.hosts[i / 8 % 128];
      const SmallHost& to = cluster.hosts[(i / 8 + 1 + i / 1024) % 128];
      const std::size_t target = (i + i / 4096) % 8;
      benchmark::DoNotOptimize(ends == Ends::nics
                                   ? router.route(from.nics[i % 8], to.nics[target])
                                   : router.route(from.gpus[i % 8], to.gpus[target]));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}
BENCHMARK_CAPTURE(routes, nics_pinned, {Routing::rail_pinned}, Ends::nics)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(routes, nics_hashed, {Routing::ecmp}, Ends::nics)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(routes, nics_sprayed, {Routing::spray}, Ends::nics)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(routes, gpus_pinned, {Routing::rail_pinned}, Ends::gpus)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace quintet
