#include <gtest/gtest.h>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "tests/sim/ccl/move_integers.h"

namespace quintet {
namespace {

using namespace literals;
using enum CollectiveKind;

Schedule pat(CollectiveKind kind, int ranks, Bytes size = 1_KiB) {
  const auto schedule = schedule_of(Algorithm::pat, {kind, {1, ranks}, {}, size, 128_KiB});
  EXPECT_TRUE(schedule);
  return *schedule;
}

// Chunks that one rank sends another in a step; in all trees alike, so that any sender tells.
struct Hop {
  int distance = 0, chunks = 0;
  bool operator==(const Hop&) const = default;
};
std::vector<Hop> hops_of(const Schedule& schedule) {
  std::vector<Hop> hops(static_cast<std::size_t>(schedule.steps));
  for (const Transfer& transfer : schedule.transfers) {
    if (transfer.from != 0) continue;
    Hop& hop = hops[static_cast<std::size_t>(transfer.step)];
    hop.distance = (transfer.to - transfer.from + schedule.ranks) % schedule.ranks;
    ++hop.chunks;
  }
  return hops;
}

TEST(Pat, ReachesAllRanksWhateverTheirNumberAndTheBuffer) {
  for (int ranks = 1; ranks <= 33; ++ranks)
    for (const CollectiveKind kind : {reduce_scatter, all_gather})
      for (const Bytes size : {0_B, 1_KiB, 8_MiB, 40_MiB, 1_GiB})
        EXPECT_EQ(broken_promise(pat(kind, ranks, size)), "")
            << name_of(kind) << " of " << size.value << " bytes on " << ranks << " ranks";
}

// arXiv 2506.20252: far hops first with few chunks, near ones last with many; log2 of 16 steps.
TEST(Pat, TakesFarHopsFirstAndAggregatesTheNearOnes) {
  EXPECT_EQ(hops_of(pat(all_gather, 16)), (std::vector<Hop>{{8, 1}, {4, 2}, {2, 4}, {1, 8}}));
  // Sums come back the same way: to the rank 1, 2, 4, 8 before, of 16.
  EXPECT_EQ(hops_of(pat(reduce_scatter, 16)),
            (std::vector<Hop>{{15, 8}, {14, 4}, {12, 2}, {8, 1}}));
}

// 11 ranks: offsets 8; 4; 2, 6, 10; 1, 3, 5, 7, 9.
TEST(Pat, LeavesOutWhatLiesBeyondTheLastRank) {
  EXPECT_EQ(hops_of(pat(all_gather, 11)), (std::vector<Hop>{{8, 1}, {4, 1}, {2, 3}, {1, 5}}));
}

// 16 chunks of 1.5 MiB, two of which fit 4 MiB: one far hop, then the 8 ranks below each of the two
// depth first, from the rank without the lowest bit: 1, 2, 3 (from 2), 4, 5 (from 4), ...
TEST(Pat, AggregatesNoMoreThanABufferHolds) {
  EXPECT_EQ(hops_of(pat(all_gather, 16, 24_MiB)),
            (std::vector<Hop>{{8, 1}, {1, 2}, {2, 2}, {1, 2}, {4, 2}, {1, 2}, {2, 2}, {1, 2}}));
  // Chunks larger than the buffer go one by one, 15 hops.
  EXPECT_EQ(pat(all_gather, 16, 1_GiB).steps, 15);
}

// What is priced is what is moved, edge by edge, wherever the ranks sit.
TEST(Pat, LoadsTheLinksAsItsScheduleDoes) {
  for (const int n : {2, 3, 5, 8, 13})
    for (const CollectiveKind kind : {reduce_scatter, all_gather})
      for (const HostLayout& layout : {even_layout(n, 1, 1), even_layout(1, n, 1)}) {
        const TrafficPhase priced = traffic(kind, Algorithm::pat, layout).front();
        const TrafficPhase moved = traffic_of(pat(kind, n)).front();
        EXPECT_EQ(priced.steps, moved.steps);
        EXPECT_NEAR(priced.reduced_bytes_per_byte, moved.reduced_bytes_per_byte, 1e-12);
        EXPECT_NEAR(priced.copied_bytes_per_byte, moved.copied_bytes_per_byte, 1e-12);
        ASSERT_EQ(priced.edges.size(), moved.edges.size());
        for (std::size_t i = 0; i < priced.edges.size(); ++i) {
          EXPECT_EQ(priced.edges[i].from, moved.edges[i].from);
          EXPECT_EQ(priced.edges[i].to, moved.edges[i].to);
          EXPECT_NEAR(priced.edges[i].bytes_per_byte, moved.edges[i].bytes_per_byte, 1e-12);
        }
      }
}

TEST(Pat, DoesNotAllReduce) {
  const auto schedule = schedule_of(Algorithm::pat, {all_reduce, {4}, {}, 1_KiB, 1_KiB});
  ASSERT_FALSE(schedule);
  EXPECT_EQ(schedule.error().what,
            "pat is not executed for all-reduce; ring does all kinds but all-to-all, direct "
            "all-to-all");
}

}  // namespace
}  // namespace quintet
