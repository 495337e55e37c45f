#include "sim/ccl/choice/tuner.h"

#include <gtest/gtest.h>

#include "tests/sim/ccl/machines.h"
#include "tests/sim/ccl/printed.h"

namespace quintet {
namespace {

using namespace literals;
using namespace machines;
using enum Algorithm;
using enum Protocol;

// The versions differ on Blackwell alone: ring LL128 73.4 -> 40 GB/s a channel, and the NVLS tree's
// cap from three nodes 43.8 -> 80. 16 x 45 on one node: min(0.92 x 720, 16 x 40) x 8/14 = 365.714
// against 0.92 x 720 x 8/14 = 378.514.
TEST(Tuner, VersionsDifferOnBlackwell) {
  const CommunicatorShape b200 = communicator_shape(8, 1, dgx_b200());
  expect_entries(v28, all_reduce, b200, {{ring, ll128, 40.6, 378.514}}, 5e-4);
  expect_entries(v30, all_reduce, b200, {{ring, ll128, 40.6, 365.714}}, 5e-4);

  // 8 heads, four nodes of 8: bus 8 x min(103.6, 48, cap), algorithm bandwidth x 32/62.
  const CommunicatorShape four = communicator_shape(32, 4, dgx_b200());
  expect_entries(v28, all_reduce, four, {{nvls_tree, simple, 108.6, 180.851613}}, 5e-4);
  expect_entries(v30, all_reduce, four, {{nvls_tree, simple, 108.6, 198.193548}}, 5e-4);
}

// 2.30 corrects the NVLS tree on Blackwell with x86 hosts as it does the tree: 16 MiB is index 18,
// simple 0.7; 2.28 does not, and neither does so on Hopper.
TEST(Tuner, NewerVersionCorrectsTheNvlsTreeOnBlackwell) {
  const auto bandwidth = [](TunerVersion version, const CommunicatorShape& shape) {
    const auto choice = choose(version, all_reduce, 16_MiB, shape, {.algorithm = nvls_tree});
    return choice ? choice->bandwidth.value : 0.0;
  };
  const CommunicatorShape blackwell = communicator_shape(32, 4, dgx_b200());
  const auto entry = tuner_entry(v30, all_reduce, nvls_tree, simple, blackwell);
  ASSERT_TRUE(entry);
  EXPECT_DOUBLE_EQ(bandwidth(v30, blackwell), 0.7 * entry->bandwidth.value);
  EXPECT_DOUBLE_EQ(bandwidth(v28, blackwell),
                   tuner_entry(v28, all_reduce, nvls_tree, simple, blackwell)->bandwidth.value);
  EXPECT_DOUBLE_EQ(bandwidth(v28, h100(4)), bandwidth(v30, h100(4)));
}

// Enable rules of NCCL src/graph/tuning.cc.
TEST(Tuner, RulesOutWhatNcclRulesOut) {
  const auto has = [](CollectiveKind kind, Algorithm algorithm, Protocol protocol,
                      const CommunicatorShape& shape) {
    return tuner_entry(v28, kind, algorithm, protocol, shape).has_value();
  };
  CommunicatorShape two = h100(2);
  EXPECT_FALSE(has(all_reduce, nvls_tree, simple, h100(1)));
  EXPECT_FALSE(has(all_reduce, nvls, simple, two));
  EXPECT_FALSE(has(all_reduce, collnet_direct, simple, two));
  two.in_network = true;
  EXPECT_TRUE(has(all_reduce, nvls, simple, two));
  EXPECT_TRUE(has(all_reduce, collnet_direct, simple, two));
  EXPECT_TRUE(has(all_reduce, collnet_chain, simple, two));
  EXPECT_FALSE(has(all_reduce, nvls, ll, h100(1)));
  EXPECT_FALSE(has(all_reduce, pat, simple, two));
  EXPECT_FALSE(has(all_gather, tree, simple, two));
  EXPECT_FALSE(has(all_gather, pat, simple, two));
  EXPECT_TRUE(has(all_gather, pat, simple, communicator_shape(16, 16, dgx_h100())));
  EXPECT_FALSE(has(CollectiveKind::broadcast, tree, simple, h100(1)));
  EXPECT_FALSE(has(CollectiveKind::all_to_all, ring, simple, h100(1)));
  EXPECT_FALSE(has(all_reduce, ring, ll128, communicator_shape(2, 1, pcie_pair())));
  EXPECT_FALSE(has(all_reduce, nvls, simple, communicator_shape(2, 1, dgx_h100())));
  EXPECT_FALSE(has(all_reduce, hierarchical, simple, two));
}

// A rule fixes fields and leaves the rest to the tables; what NCCL does not allow leaves nothing.
TEST(Tuner, RuleNarrowsTheChoice) {
  const auto forced = [](const CollectiveRule& rule) {
    return choose(v28, all_reduce, 64_MiB, h100(1), rule);
  };
  const auto ring_choice = forced({.algorithm = ring});
  ASSERT_TRUE(ring_choice);
  EXPECT_EQ(ring_choice->protocol, simple);  // 56 + 67108864/205714.3 us beats LL128's 40.6 + 354.6
  expect_printed(ring_choice->time.value * 1e6, 382.2, 0.05, "56 + 326.2");
  const auto tree_choice = forced({.protocol = ll});
  ASSERT_TRUE(tree_choice);
  EXPECT_EQ(tree_choice->algorithm, ring);
  const auto few = forced({.algorithm = ring, .protocol = simple, .channels = 4});
  ASSERT_TRUE(few);
  EXPECT_EQ(few->channels, 4);
  EXPECT_EQ(few->time, ring_choice->time);
  for (const Algorithm algorithm :
       {nvls_tree, collnet_chain, pat, halving_doubling, direct, hierarchical})
    EXPECT_EQ(forced({.algorithm = algorithm}), std::nullopt);
  EXPECT_EQ(forced({.algorithm = nvls, .protocol = ll}), std::nullopt);
}

// NCCL src/graph/tuning.cc. Ring/LL on 8 ranks: a channel is worth 512 x 8 x 8 = 32 KiB; 1 KiB
// keeps one, 256 KiB eight, 1 MiB all 24. NVLS has its own 16 on Hopper.
TEST(Tuner, UsesAsManyChannelsAsTheSizeDeserves) {
  const auto channels = [](Bytes size, const CollectiveRule& rule) {
    const auto choice = choose(v28, all_reduce, size, h100(1), rule);
    return choice ? choice->channels : 0;
  };
  const CollectiveRule ring_ll{.algorithm = ring, .protocol = ll};
  EXPECT_EQ(channels(1_KiB, ring_ll), 1);
  EXPECT_EQ(channels(256_KiB, ring_ll), 8);
  EXPECT_EQ(channels(1_MiB, ring_ll), 24);
  EXPECT_EQ(channels(64_MiB, {.algorithm = nvls}), 16);
}

// One rank: ring/simple for nothing (NCCL src/graph/tuning.cc).
TEST(Tuner, SingleRankCostsNothing) {
  const auto choice = choose(v28, all_reduce, 1_GiB, communicator_shape(1, 1, dgx_h100()));
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->algorithm, ring);
  EXPECT_EQ(choice->protocol, simple);
  EXPECT_EQ(choice->time, 0_s);
}

// Raising a graph's speed never makes the choice slower (H-3 for the tuner); more bytes never take
// less under one algorithm and protocol.
TEST(Tuner, FasterChannelsAreNeverSlower) {
  for (double size = 256; size < 1e10; size *= 4) {
    CommunicatorShape slow = h100(4);
    CommunicatorShape fast = slow;
    for (ChannelGraph* graph : {&fast.ring, &fast.tree, &fast.nvls})
      graph->intra = graph->inter = 60_GBps;
    const auto before = choose(v30, all_reduce, {size}, slow);
    const auto after = choose(v30, all_reduce, {size}, fast);
    ASSERT_TRUE(before && after);
    EXPECT_LE(after->time, before->time);
  }
}

}  // namespace
}  // namespace quintet
