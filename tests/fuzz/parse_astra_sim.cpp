#include <cmath>

#include "tests/fuzz/fuzz_input.h"
#include "traces/astra_sim/other_networks.h"
#include "traces/astra_sim/remote_memory.h"
#include "traces/astra_sim/replay.h"

using namespace quintet;

namespace {

// One all-reduce, small enough to be run for every input.
Workload all_reduce(int ranks) {
  Workload workload;
  workload.lanes = {{LaneKind::communication, "communication"}};
  SpanInfo info;
  info.kind = SpanKind::collective;
  info.size = {4096.0};
  workload.infos = {info};
  for (int rank = 0; rank < ranks; ++rank) {
    WorkloadRank work;
    work.tasks.resize(1);
    work.tasks.front().peers = 0;
    work.peers.resize(1);
    work.after_begin = {0, 0};
    workload.ranks.push_back(work);
  }
  return workload;
}

void replay(const AstraNetwork& network, const AstraSystem& system) {
  const int ranks = ranks_of(network);
  if (ranks > 64 || system.dataset_splits > 4) return;
  for (const auto backend : {AstraBackend::congestion_unaware, AstraBackend::congestion_aware}) {
    const auto times = replay_by_astra_rules(all_reduce(ranks), network, system, backend);
    fuzz::require_place(times);
    if (!times) continue;
    fuzz::require(times->ranks.size() == static_cast<std::size_t>(ranks), "every rank ends");
    for (const AstraRankTime& rank : times->ranks)
      fuzz::require(rank.finish <= times->end && rank.finish >= Instant{}, "times are in order");
  }
}

AstraSystem rings() {
  AstraSystem system;
  system.memory_gigabytes = 1000.0;
  system.collectives.front().per_dimension = {{}};
  return system;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  const auto network = astra_network_of(text, "input");
  fuzz::require_place(network);
  if (network) {
    const auto again = astra_network_of(astra_network_text(*network), "written");
    fuzz::require(again && *again == *network, "a network written and read again is equal");
    replay(*network, rings());
  }
  auto system = astra_system_of(text, "input");
  fuzz::require_place(system);
  if (system) {
    replay({{{AstraShape::ring, 8, 50.0, 500.0}}}, *system);
    replay({{{AstraShape::star, 4, 50.0, 500.0}, {AstraShape::ring, 2, 50.0, 500.0}}}, *system);
    system->left_out.clear();
    const auto again = astra_system_of(astra_system_text(*system), "written");
    fuzz::require(again && *again == *system, "a system written and read again is equal");
  }
  fuzz::require_place(astra_remote_memory_of(text, "input"));
  fuzz::require_place(ns3_dimensions_of(text, "input"));
  fuzz::require_place(htsim_topology_of(text, "input"));
  return 0;
}
