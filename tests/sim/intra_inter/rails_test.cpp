#include "sim/intra_inter/rails.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/small_worlds.h"

namespace quintet {
namespace {

// Eight GPUs, each with a NIC of its own.
std::vector<RailOwner> one_nic_each() {
  std::vector<RailOwner> owners;
  for (int local = 0; local < 8; ++local) owners.push_back({local, local});
  return owners;
}

// NCCL 2.12's PXN: the GPU that owns the NIC on the destination's rail sends.
TEST(Rails, TheOwnerOfTheRailSends) {
  EXPECT_EQ(sending_local(Forwarding::same_rail, {2, 2}, 5, one_nic_each()), 5);
  EXPECT_EQ(sending_local(Forwarding::same_rail, {2, 2}, 2, one_nic_each()), 2);
}

TEST(Rails, WithoutForwardingEachSendsForItself) {
  EXPECT_EQ(sending_local(Forwarding::none, {2, 2}, 5, one_nic_each()), 2);
}

// Nobody on that rail within reach, or the destination has no NIC: the sender's own NIC.
TEST(Rails, WithoutAnOwnerEachSendsForItself) {
  EXPECT_EQ(sending_local(Forwarding::same_rail, {2, 2}, 9, one_nic_each()), 2);
  EXPECT_EQ(sending_local(Forwarding::same_rail, {2, 2}, -1, one_nic_each()), 2);
  EXPECT_EQ(sending_local(Forwarding::same_rail, {2, 2}, 5, {{2, 2}, {3, 3}}), 2);
}

// Two GPUs a NIC: rail 3 belongs to locals 6 and 7, and even senders use one, odd ones the other.
TEST(Rails, OwnersOfOneRailTakeTurns) {
  std::vector<RailOwner> owners;
  for (int local = 0; local < 8; ++local) owners.push_back({local, local / 2});
  EXPECT_EQ(sending_local(Forwarding::same_rail, {0, 0}, 3, owners), 6);
  EXPECT_EQ(sending_local(Forwarding::same_rail, {1, 0}, 3, owners), 7);
  EXPECT_EQ(sending_local(Forwarding::same_rail, {6, 3}, 3, owners), 6);
}

// All 64 pairs between two hosts of eight leave on their destination's rail, over NVLink when that
// is not their own; a rail carries eight of them.
TEST(Rails, KeepEveryTransferOnItsDestinationsRail) {
  const Topology topology = test::built(
      test::gpu_host(8, 8), 2, test::tree("rail_optimised", 32, ", \"hosts_per_leaf\": 2"));
  const auto gpu = [&](int host, int local) {
    return test::device(topology, "host" + std::to_string(host) + "/gpu" + std::to_string(local));
  };
  std::vector<int> carried(8, 0);
  for (int from = 0; from < 8; ++from)
    for (int to = 0; to < 8; ++to) {
      const DeviceId sender =
          sending_slot(topology, Forwarding::same_rail, gpu(0, from), gpu(1, to));
      EXPECT_EQ(rail_of(topology, sender), rail_of(topology, gpu(1, to)));
      EXPECT_EQ(sender, gpu(0, to));
      EXPECT_EQ(sending_slot(topology, Forwarding::none, gpu(0, from), gpu(1, to)), gpu(0, from));
      ++carried[static_cast<std::size_t>(rail_of(topology, sender))];
    }
  EXPECT_EQ(carried, std::vector<int>(8, 8));
}

// Hosts without GPUs have no NVLink to forward over.
TEST(Rails, CpuHostsSendForThemselves) {
  const Topology topology = test::built(test::cpu_host(), 2, test::tree("fat_tree", 32));
  const std::vector<DeviceId> slots = rank_slots(topology);
  EXPECT_EQ(sending_slot(topology, Forwarding::same_rail, slots[0], slots[1]), slots[0]);
}

}  // namespace
}  // namespace quintet
