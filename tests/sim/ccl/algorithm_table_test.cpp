// What holds for every row, those of later algorithms too.
#include <gtest/gtest.h>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "tests/sim/ccl/move_integers.h"

namespace quintet {
namespace {

using enum CollectiveKind;

constexpr std::array all_kinds{all_reduce, reduce_scatter, all_gather,
                               broadcast,  reduce,         all_to_all};

double bytes_of(const std::vector<TrafficPhase>& phases) {
  double bytes = 0.0;
  for (const TrafficPhase& phase : phases)
    for (const TrafficEdge& edge : phase.edges) bytes += edge.bytes_per_byte;
  return bytes;
}

ScheduledGroup group_of(CollectiveKind kind, int hosts, int per_host, double size) {
  return {kind, {per_host, hosts}, {}, Bytes{size}, Bytes{1e5}};
}

TEST(AlgorithmTable, EveryNameHasItsOwnRow) {
  for (const Algorithm algorithm : all_algorithms)
    EXPECT_EQ(row_of(algorithm).algorithm, algorithm) << name_of(algorithm);
}

// The tuner's tables and plug-in number NCCL's algorithms from 0; all others are ours.
TEST(AlgorithmTable, NcclsOwnComeFirst) {
  for (const Algorithm algorithm : all_algorithms)
    EXPECT_EQ(row_of(algorithm).nccl != nullptr, static_cast<int>(algorithm) < nccl_algorithm_count)
        << name_of(algorithm);
}

TEST(AlgorithmTable, WhatIsExecutedHasAScheduleThatKeepsItsPromiseAndAPrice) {
  for (const Algorithm algorithm : all_algorithms)
    for (const CollectiveKind kind : all_kinds) {
      const CollectiveAlgorithm& row = row_of(algorithm);
      if (!row.executed.contains(kind)) {
        EXPECT_FALSE(schedule_of(algorithm, group_of(kind, 2, 2, 1e6)));
        continue;
      }
      EXPECT_TRUE(row.kinds.contains(kind));
      for (const auto& [hosts, per_host] :
           {std::pair{1, 1}, {1, 2}, {1, 7}, {1, 8}, {5, 1}, {8, 1}, {2, 4}, {3, 3}})
        for (const double size : {0.0, 1e3, 4e5, 3e7}) {
          const HostLayout layout = even_layout(hosts, per_host, 1);
          if (!row.executed_on(layout)) continue;
          const auto schedule = schedule_of(algorithm, group_of(kind, hosts, per_host, size));
          ASSERT_TRUE(schedule);
          EXPECT_EQ(broken_promise(*schedule), "") << name_of(kind) << " by " << name_of(algorithm)
                                                   << ", " << hosts << " x " << per_host;
          if (kind == all_to_all) continue;
          EXPECT_NEAR(bytes_of(traffic(kind, algorithm, layout)), bytes_of(traffic_of(*schedule)),
                      1e-9)
              << name_of(kind) << " by " << name_of(algorithm) << ", " << hosts << " x "
              << per_host;
        }
    }
}

}  // namespace
}  // namespace quintet
