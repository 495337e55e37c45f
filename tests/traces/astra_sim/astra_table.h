// What ASTRA-sim 518bd513 with network-analytical 599a0473 says of single collectives, measured on
// our build machine (2 vCPU EPYC, 2026-08): every row that it was run for, with the times it took
// itself. System: LIFO, endpoint delay 10 ns, 1 active chunk, 1 dataset split ("x4": 4 splits, 2
// active), ring for all but all-to-all, which is direct, localBWAware, 3350 GB/s of local memory. A
// wire has 50 GB/s of 2^30 bytes and 500 ns where the row does not say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/astra_sim/replay.h"

namespace quintet {

inline constexpr double mebibyte = 1048576.0;

struct AstraRow {
  std::string name;
  AstraBackend backend = AstraBackend::congestion_unaware;
  AstraNetwork network;
  CollectiveKind kind = CollectiveKind::all_reduce;
  double bytes = 256 * mebibyte;
  std::vector<AstraImplementation> implementations{{}};
  int splits = 1, active = 1;
  std::int64_t nanoseconds = 0;  // that ASTRA-sim says
  double astra_seconds = 0.0;    // that it took; 0: not measured
};

inline AstraNetwork one_dimension(AstraShape shape, int ranks) {
  return {{{shape, ranks, 50.0, 500.0}}};
}

inline std::vector<AstraRow> astra_rows() {
  constexpr auto aware = AstraBackend::congestion_aware;
  constexpr auto unaware = AstraBackend::congestion_unaware;
  constexpr auto ring = AstraShape::ring;
  constexpr auto star = AstraShape::star;
  constexpr auto full = AstraShape::fully_connected;
  std::vector<AstraRow> rows;
  const auto all_reduce = [&](AstraBackend backend, AstraShape shape, int ranks,
                              std::int64_t nanoseconds, double seconds) {
    AstraRow row;
    row.name = std::string(backend == aware ? "aware " : "unaware ") + std::string(name_of(shape)) +
               " all-reduce " + std::to_string(ranks);
    row.backend = backend;
    row.network = one_dimension(shape, ranks);
    row.nanoseconds = nanoseconds;
    row.astra_seconds = seconds;
    rows.push_back(row);
  };
  const auto all_to_all = [&](AstraBackend backend, int ranks, std::int64_t nanoseconds,
                              double seconds) {
    all_reduce(backend, star, ranks, nanoseconds, seconds);
    AstraRow& row = rows.back();
    row.name = std::string(backend == aware ? "aware" : "unaware") + " Switch all-to-all " +
               std::to_string(ranks);
    row.kind = CollectiveKind::all_to_all;
    row.bytes = ranks * mebibyte;
    row.implementations = {{AstraAlgorithm::direct, false, -1}};
  };
  all_reduce(aware, ring, 64, 10'144'648, 0.01);
  all_reduce(aware, ring, 256, 10'460'365, 0.16);
  all_reduce(aware, ring, 1024, 11'271'424, 2.81);
  all_reduce(aware, ring, 4096, 14'402'125, 53.5);
  all_reduce(aware, star, 64, 20'051'398, 0.01);
  all_reduce(aware, star, 256, 20'676'175, 0.17);
  all_reduce(aware, star, 1024, 22'282'996, 3.18);
  all_reduce(aware, star, 256, 11'113'722, 0.66);
  rows.back().name += " x4";
  rows.back().splits = 4;
  rows.back().active = 2;
  all_reduce(unaware, ring, 64, 10'144'648, 0.01);
  all_reduce(unaware, ring, 256, 10'460'365, 0.15);
  all_reduce(unaware, ring, 1024, 11'271'424, 2.54);
  all_reduce(unaware, star, 64, 10'207'648, 0.05);
  all_reduce(unaware, star, 256, 10'715'365, 0.26);
  all_reduce(unaware, star, 1024, 12'294'424, 2.53);
  all_reduce(unaware, ring, 4096, 14'402'125, 48.8);
  all_reduce(aware, full, 64, 10'144'648, 0.03);
  all_reduce(aware, full, 256, 10'460'365, 0.29);
  all_reduce(aware, full, 1024, 11'271'424, 5.45);
  all_to_all(aware, 64, 1'251'004, 0.02);
  all_to_all(aware, 128, 2'500'988, 0.06);
  all_to_all(aware, 256, 5'000'956, 0.30);
  all_to_all(aware, 1024, 20'000'764, 7.76);
  all_to_all(unaware, 64, 20'551, 0.05);
  all_to_all(unaware, 128, 20'551, 0.17);
  all_to_all(unaware, 256, 20'551, 0.35);
  const AstraImplementation rings{};
  const AstraImplementation halving{AstraAlgorithm::halving_doubling, false, -1};
  const AstraImplementation direct{AstraAlgorithm::direct, false, -1};
  const auto levels = [&](const std::string& name, std::vector<AstraDimension> dimensions,
                          std::vector<AstraImplementation> implementations,
                          std::int64_t nanoseconds, double seconds) {
    AstraRow row;
    row.name = "unaware " + name;
    row.network = {std::move(dimensions)};
    row.implementations = std::move(implementations);
    row.nanoseconds = nanoseconds;
    row.astra_seconds = seconds;
    rows.push_back(row);
  };
  levels("8 x 128 ring, ring", {{star, 8, 400.0, 500.0}, {star, 128, 50.0, 2000.0}}, {rings, rings},
         3'606'542, 0.39);
  levels("8 x 128 ring, halving", {{star, 8, 400.0, 500.0}, {star, 128, 50.0, 2000.0}},
         {rings, halving}, 2'629'413, 0.22);
  levels("8 x 8 x 16 ring, direct, halving",
         {{ring, 8, 400.0, 500.0}, {full, 8, 200.0, 500.0}, {star, 16, 50.0, 2000.0}},
         {rings, direct, halving}, 1'535'315, 0.16);
  levels("8 x 512 ring, ring", {{star, 8, 400.0, 500.0}, {star, 512, 50.0, 2000.0}}, {rings, rings},
         6'692'443, 5.27);
  return rows;
}

inline AstraSystem system_of(const AstraRow& row) {
  AstraSystem system;
  system.policy = AstraPolicy::last_in_first_out;
  system.dataset_splits = row.splits;
  system.active_chunks = row.active;
  system.optimization = AstraOptimization::local_bandwidth_aware;
  system.memory_gigabytes = 3350.0;
  for (AstraCollective& collective : system.collectives)
    collective.per_dimension = row.implementations;
  return system;
}

// A node a rank, as ASTRA-sim's microbenchmarks have it.
inline Workload one_collective(CollectiveKind kind, double bytes, int ranks) {
  Workload workload;
  workload.name = "one collective";
  workload.lanes_in_order = false;
  workload.lanes = {{LaneKind::communication, "communication"}};
  SpanInfo info;
  info.name = name_of(kind);
  info.kind = SpanKind::collective;
  info.size = {bytes};
  workload.infos = {info};
  workload.groups = {{"0", {}}};
  for (int rank = 0; rank < ranks; ++rank) {
    workload.groups.front().ranks.push_back(rank);
    WorkloadRank work;
    work.rank = Rank{rank};
    work.tasks.emplace_back();
    work.tasks.back().peers = 0;
    work.peers.emplace_back();
    work.peers.back().collective = kind;
    work.peers.back().group = 0;
    work.peers.back().sequence = 0;
    work.after_begin.push_back(0);
    workload.ranks.push_back(std::move(work));
  }
  return workload;
}

inline Result<AstraTimes> times_of(const AstraRow& row) {
  return replay_by_astra_rules(one_collective(row.kind, row.bytes, ranks_of(row.network)),
                               row.network, system_of(row), row.backend);
}

}  // namespace quintet
