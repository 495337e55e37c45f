#include "sim/intra_inter/decompose.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace quintet {
namespace {

using enum CollectiveKind;
using Sizes = std::vector<int>;

// Reduce-scatter inside, all-reduce of an eighth across, all-gather inside.
TEST(Phases, AllReduceOverHosts) {
  EXPECT_EQ(phases(all_reduce, {8, 128}),
            (std::vector<CollectivePhase>{
                {reduce_scatter, 0, 1.0}, {all_reduce, 1, 1.0 / 8}, {all_gather, 0, 1.0}}));
}

TEST(Phases, AllReduceOverThreeLevels) {
  EXPECT_EQ(phases(all_reduce, {2, 3, 4}),
            (std::vector<CollectivePhase>{{reduce_scatter, 0, 1.0},
                                          {reduce_scatter, 1, 1.0 / 2},
                                          {all_reduce, 2, 1.0 / 2 / 3},
                                          {all_gather, 1, 1.0 / 2},
                                          {all_gather, 0, 1.0}}));
}

TEST(Phases, LevelsOfOneRankVanish) {
  EXPECT_EQ(phases(all_reduce, {1, 16}), (std::vector<CollectivePhase>{{all_reduce, 1, 1.0}}));
  EXPECT_EQ(phases(all_reduce, {8, 1}), (std::vector<CollectivePhase>{{all_reduce, 0, 1.0}}));
  EXPECT_EQ(phases(all_reduce, {1, 1}), std::vector<CollectivePhase>{});
}

TEST(Phases, ScatterGoesOutAndGatherComesIn) {
  EXPECT_EQ(phases(reduce_scatter, {4, 2}),
            (std::vector<CollectivePhase>{{reduce_scatter, 0, 1.0}, {reduce_scatter, 1, 0.25}}));
  EXPECT_EQ(phases(all_gather, {4, 2}),
            (std::vector<CollectivePhase>{{all_gather, 1, 0.25}, {all_gather, 0, 1.0}}));
}

TEST(Subgroups, DifferOnOneLevelOnly) {
  EXPECT_EQ(subgroups({2, 3}, 0), (std::vector<Sizes>{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(subgroups({2, 3}, 1), (std::vector<Sizes>{{0, 2, 4}, {1, 3, 5}}));
}

// What a rank holds: elements and their values.
using Holding = std::map<int, std::uint64_t>;
using Holdings = std::vector<Holding>;

std::uint64_t contribution(int rank, int element) {
  return static_cast<std::uint64_t>(rank + 1) * 1000003u +
         static_cast<std::uint64_t>(element) * 7919u;
}

// Does one phase's collective in one subgroup, checking that its size is the promised share.
void take_part(const CollectivePhase& phase, const Sizes& group, Holdings& holdings, int elements) {
  const auto of = [&](int rank) -> Holding& { return holdings[static_cast<std::size_t>(rank)]; };
  Holding sum;
  for (const int rank : group)
    for (const auto& [element, value] : of(rank)) sum[element] += value;
  EXPECT_NEAR(static_cast<double>(sum.size()), phase.share * elements, 1e-9);
  for (std::size_t member = 0; member < group.size(); ++member) {
    EXPECT_TRUE(phase.kind == all_gather || of(group[member]).size() == sum.size());
    if (phase.kind != reduce_scatter) continue;
    Holding part;
    std::size_t index = 0;
    for (const auto& [element, value] : sum)
      if (index++ * group.size() / sum.size() == member) part[element] = value;
    of(group[member]) = part;
  }
  if (phase.kind != reduce_scatter)
    for (const int rank : group) of(rank) = sum;
}

void run(const std::vector<CollectivePhase>& list, const Sizes& sizes, Holdings& holdings,
         int elements) {
  for (const CollectivePhase& phase : list)
    for (const Sizes& group : subgroups(sizes, phase.level))
      take_part(phase, group, holdings, elements);
}

const std::vector<Sizes> shapes{{8}, {2, 3}, {4, 4}, {1, 5}, {5, 1}, {2, 3, 4}, {3, 1, 2, 2}};

int product(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies<>());
}

Holdings everything(int ranks) {
  Holdings holdings(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    for (int element = 0; element < ranks; ++element)
      holdings[static_cast<std::size_t>(rank)][element] = contribution(rank, element);
  return holdings;
}

Holding reduced(int ranks) {
  Holding sum;
  for (int rank = 0; rank < ranks; ++rank)
    for (int element = 0; element < ranks; ++element) sum[element] += contribution(rank, element);
  return sum;
}

TEST(Phases, AllReduceReducesExactly) {
  for (const Sizes& sizes : shapes) {
    const int ranks = product(sizes);
    Holdings holdings = everything(ranks);
    run(phases(all_reduce, sizes), sizes, holdings, ranks);
    for (const Holding& holding : holdings) EXPECT_EQ(holding, reduced(ranks));
  }
}

// A scatter leaves one element each, all different; the gather after it is the all-reduce.
TEST(Phases, ScatterThenGatherIsAllReduce) {
  for (const Sizes& sizes : shapes) {
    const int ranks = product(sizes);
    Holdings holdings = everything(ranks);
    run(phases(reduce_scatter, sizes), sizes, holdings, ranks);
    std::set<int> kept;
    for (const Holding& holding : holdings) {
      ASSERT_EQ(holding.size(), 1u);
      kept.insert(holding.begin()->first);
    }
    EXPECT_EQ(kept.size(), static_cast<std::size_t>(ranks));
    run(phases(all_gather, sizes), sizes, holdings, ranks);
    for (const Holding& holding : holdings) EXPECT_EQ(holding, reduced(ranks));
  }
}

// Each phase doubles nothing: groups with one holder of the data pass it to all of theirs.
TEST(Phases, BroadcastReachesEveryoneOnce) {
  for (const Sizes& sizes : shapes) {
    std::vector<bool> has(static_cast<std::size_t>(product(sizes)), false);
    has[0] = true;
    for (const CollectivePhase& phase : phases(broadcast, sizes)) {
      EXPECT_EQ(phase.share, 1.0);
      for (const Sizes& group : subgroups(sizes, phase.level)) {
        int holders = 0;
        for (const int rank : group) holders += has[static_cast<std::size_t>(rank)] ? 1 : 0;
        EXPECT_LE(holders, 1);
        for (const int rank : group)
          if (holders == 1) has[static_cast<std::size_t>(rank)] = true;
      }
    }
    EXPECT_EQ(has, std::vector<bool>(has.size(), true));
  }
}

// Every piece moves to the member that agrees with its destination on the level: all arrive, and a
// rank always holds one buffer's worth, which is why each phase has the whole size.
TEST(Phases, AllToAllArrives) {
  for (const Sizes& sizes : shapes) {
    const int ranks = product(sizes);
    std::map<std::pair<int, int>, int> at;  // (from, to) -> rank
    for (int from = 0; from < ranks; ++from)
      for (int to = 0; to < ranks; ++to) at[{from, to}] = from;
    for (const CollectivePhase& phase : phases(all_to_all, sizes)) {
      EXPECT_EQ(phase.share, 1.0);
      int stride = 1;
      for (int level = 0; level < phase.level; ++level)
        stride *= sizes[static_cast<std::size_t>(level)];
      const int size = sizes[static_cast<std::size_t>(phase.level)];
      std::vector<int> held(static_cast<std::size_t>(ranks), 0);
      for (auto& [piece, rank] : at) {
        rank += (piece.second / stride % size - rank / stride % size) * stride;
        ++held[static_cast<std::size_t>(rank)];
      }
      EXPECT_EQ(held, std::vector<int>(held.size(), ranks));
    }
    for (const auto& [piece, rank] : at) EXPECT_EQ(rank, piece.second);
  }
}

// Bytes per rank are those of the flat collective: sum of (s-1)/s shares = (n-1)/n, twice for an
// all-reduce (nccl-tests' bus factors), so that a hierarchy moves bytes inside, not more of them.
TEST(Phases, MoveTheBusFactor) {
  for (const Sizes& sizes : shapes) {
    const double n = product(sizes);
    const auto moved = [&](CollectiveKind kind) {
      double bytes = 0.0;
      for (const CollectivePhase& phase : phases(kind, sizes)) {
        const double size = sizes[static_cast<std::size_t>(phase.level)];
        bytes += (phase.kind == all_reduce ? 2.0 : 1.0) * (size - 1) / size * phase.share;
      }
      return bytes;
    };
    EXPECT_NEAR(moved(all_reduce), 2 * (n - 1) / n, 1e-12);
    EXPECT_NEAR(moved(reduce_scatter), (n - 1) / n, 1e-12);
    EXPECT_NEAR(moved(all_gather), (n - 1) / n, 1e-12);
  }
}

}  // namespace
}  // namespace quintet
