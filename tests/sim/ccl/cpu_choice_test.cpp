#include "sim/ccl/choice/cpu_choice.h"

#include <gtest/gtest.h>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "tests/sim/ccl/move_integers.h"

namespace quintet {
namespace {

using enum CollectiveKind;

const HostLayout one_host = even_layout(1, 4, 1);
const HostLayout uneven{{{0, 1}, {2}}, 1, {}};

TEST(CpuChoice, WithoutAWishItIsARingAndAllToAllDirect) {
  for (const CollectiveKind kind : {all_reduce, reduce_scatter, all_gather, broadcast, reduce})
    EXPECT_EQ(cpu_algorithm(kind, std::nullopt, one_host), Algorithm::ring) << name_of(kind);
  EXPECT_EQ(cpu_algorithm(all_to_all, std::nullopt, one_host), Algorithm::direct);
}

TEST(CpuChoice, ThePlansWishHoldsWhereCpuRanksDoIt) {
  for (const Algorithm wish : {Algorithm::ring, Algorithm::tree, Algorithm::halving_doubling,
                               Algorithm::direct, Algorithm::hierarchical})
    EXPECT_EQ(cpu_algorithm(all_reduce, wish, one_host), wish) << name_of(wish);
  for (const Algorithm wish : {Algorithm::halving_doubling, Algorithm::direct, Algorithm::pat})
    for (const CollectiveKind kind : {reduce_scatter, all_gather})
      EXPECT_EQ(cpu_algorithm(kind, wish, one_host), wish) << name_of(wish);
  EXPECT_EQ(cpu_algorithm(all_gather, Algorithm::pat, even_layout(5, 1, 1)), Algorithm::pat);
}

// Switches that compute, NCCL's own; a ring for all-to-all; trees over hosts of two and one.
TEST(CpuChoice, AWishThatCannotBeDoneIsTheUsual) {
  for (const Algorithm wish : {Algorithm::nvls, Algorithm::nvls_tree, Algorithm::collnet_chain,
                               Algorithm::collnet_direct, Algorithm::pat})
    EXPECT_EQ(cpu_algorithm(all_reduce, wish, one_host), Algorithm::ring) << name_of(wish);
  EXPECT_EQ(cpu_algorithm(all_to_all, Algorithm::ring, one_host), Algorithm::direct);
  EXPECT_EQ(cpu_algorithm(reduce_scatter, Algorithm::hierarchical, one_host), Algorithm::ring);
  EXPECT_EQ(cpu_algorithm(all_reduce, Algorithm::tree, uneven), Algorithm::ring);
  EXPECT_EQ(cpu_algorithm(all_reduce, Algorithm::hierarchical, uneven), Algorithm::ring);
  EXPECT_EQ(cpu_algorithm(all_reduce, Algorithm::halving_doubling, uneven),
            Algorithm::halving_doubling);
  EXPECT_EQ(cpu_algorithm(all_gather, Algorithm::pat, even_layout(2, 2, 1)), Algorithm::ring);
}

// NCCL has PAT for one rank a node alone: on one host it gathers by a ring.
TEST(AlgorithmWithoutTuner, IsWhatNcclHasThere) {
  EXPECT_EQ(algorithm_without_tuner(all_gather, Algorithm::pat, one_host), Algorithm::ring);
  EXPECT_EQ(algorithm_without_tuner(all_gather, Algorithm::pat, even_layout(4, 1, 1)),
            Algorithm::pat);
}

TEST(CpuChoice, WhatIsChosenHasAPrice) {
  for (const CollectiveKind kind :
       {all_reduce, reduce_scatter, all_gather, broadcast, reduce, all_to_all})
    for (int wish = 0; wish <= static_cast<int>(Algorithm::hierarchical); ++wish)
      for (const HostLayout& layout : {one_host, uneven, even_layout(2, 2, 1)}) {
        const Algorithm chosen = cpu_algorithm(kind, static_cast<Algorithm>(wish), layout);
        EXPECT_FALSE(traffic(kind, chosen, layout).empty()) << name_of(kind) << name_of(chosen);
      }
}

TEST(CpuChoice, TheFirstRuleThatNamesAFieldDecidesIt) {
  Ccl ccl;
  ccl.rules = {{.kind = all_reduce, .axis = Axis::tensor, .algorithm = Algorithm::direct},
               {.axis = Axis::tensor, .algorithm = Algorithm::tree, .channels = 2}};
  const CollectiveRule merged = rule_for(ccl, all_reduce, Axis::tensor);
  EXPECT_EQ(merged.algorithm, Algorithm::direct);
  EXPECT_EQ(merged.channels, 2);
  EXPECT_EQ(rule_for(ccl, all_gather, Axis::tensor).algorithm, Algorithm::tree);
  EXPECT_EQ(rule_for(ccl, all_reduce, Axis::data), CollectiveRule{});
}

TEST(DirectSchedule, KeepsItsPromise) {
  for (const int n : {1, 2, 3, 4, 7, 8})
    for (const CollectiveKind kind : {all_reduce, reduce_scatter, all_gather})
      EXPECT_EQ(broken_promise(direct_schedule(kind, n)), "") << name_of(kind) << n;
}

// Hosts {0, 2} and {1, 3}: with ranks 0 2 1 3 in a row, the ring crosses hosts twice instead of
// four times, and every rank still ends with its own chunk.
TEST(ScheduleWithRanksInOrder, KeepsItsPromiseAndNeighbours) {
  const std::vector<int> order{0, 2, 1, 3};
  for (const CollectiveKind kind : {all_reduce, reduce_scatter, all_gather}) {
    const Schedule ring = with_ranks_in(ring_schedule(kind, 4), order);
    EXPECT_EQ(broken_promise(ring), "") << name_of(kind);
    for (const Transfer& transfer : ring.transfers)
      EXPECT_TRUE(std::pair(transfer.from, transfer.to) == std::pair(0, 2) ||
                  std::pair(transfer.from, transfer.to) == std::pair(2, 1) ||
                  std::pair(transfer.from, transfer.to) == std::pair(1, 3) ||
                  std::pair(transfer.from, transfer.to) == std::pair(3, 0));
  }
  EXPECT_EQ(broken_promise(with_ranks_in(hierarchical_schedule({{2, 2}}), order)), "");
  EXPECT_EQ(broken_promise(with_ranks_in(double_tree_schedule(2, 2, 3), order)), "");
}

}  // namespace
}  // namespace quintet
