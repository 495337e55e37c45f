#include <gtest/gtest.h>

#include "sim/ccl/nccl/communicator_shape.h"
#include "tests/sim/ccl/machines.h"

namespace quintet {
namespace {

using namespace literals;
using namespace machines;

ChannelGraph graph(int channels, double speed) {
  return {channels, {speed * 1e9}, {speed * 1e9}};
}

// NCCL 2.28.9's own tables, "1 node: 12 ch x 30 | 12 x 30 | 8 x 40 (inter field 60)".
TEST(ChannelSearch, FindsTheGraphsOfOneH100Node) {
  const CommunicatorShape shape = communicator_shape(8, 1, dgx_h100());
  EXPECT_EQ(shape.ring, graph(12, 30));
  EXPECT_EQ(shape.tree, graph(12, 30));
  EXPECT_EQ(shape.nvls, (ChannelGraph{8, 40_GBps, 60_GBps}));
  EXPECT_FALSE(shape.one_nic_owner);
}

// NCCL 2.28.9's own tables, ">= 2 nodes: 8 x 48, crossnic 2 | 8 x 48, pattern 3 | 8 x 40 intra / 48
// inter".
TEST(ChannelSearch, FindsTheGraphsOfSeveralH100Nodes) {
  for (const int nodes : {2, 4, 16, 32}) {
    const CommunicatorShape shape = communicator_shape(8 * nodes, nodes, dgx_h100());
    EXPECT_EQ(shape.ring, graph(8, 48));
    EXPECT_EQ(shape.tree, graph(8, 48));
    EXPECT_EQ(shape.nvls, (ChannelGraph{8, 40_GBps, 48_GBps}));
    EXPECT_TRUE(shape.one_nic_owner);
  }
}

// NCCL 2.28.9's own tables, "A100 x8 (12 links, AMD): ring 12 x 20"; NCCL 2.30.7, "8 ch x 24" over
// nodes.
TEST(ChannelSearch, FindsTheGraphsOfA100Nodes) {
  EXPECT_EQ(communicator_shape(8, 1, dgx_a100()).ring, graph(12, 20));
  EXPECT_EQ(communicator_shape(16, 2, dgx_a100()).ring, graph(8, 24));
  EXPECT_EQ(communicator_shape(8, 1, dgx_a100()).nvls, ChannelGraph{});
}

// NCCL 2.28.9's own tables, "B200 x8: ring 16 x 45, NVLS 8 x 80"; its inter field is the list's
// first speed.
TEST(ChannelSearch, FindsTheGraphsOfOneB200Node) {
  const CommunicatorShape shape = communicator_shape(8, 1, dgx_b200());
  EXPECT_EQ(shape.ring, graph(16, 45));
  EXPECT_EQ(shape.nvls, (ChannelGraph{8, 80_GBps, 90_GBps}));
}

// NCCL 2.28.9's own tables, "Two PCIe-4 GPUs (sm89, AMD, no NVLink): ring 2 x 12" and "25 Gbit/s
// NICs: 8 x 3".
TEST(ChannelSearch, FindsTheGraphsOfSlowLinks) {
  const CommunicatorShape pair = communicator_shape(2, 1, pcie_pair());
  EXPECT_EQ(pair.ring, graph(2, 12));
  EXPECT_FALSE(pair.ll128);
  EXPECT_EQ(communicator_shape(16, 2, h100_with_slow_nics()).ring, graph(8, 3));
}

// One GPU a node reaches one NIC at its PCIe rate (48 of 50 GB/s): 1 x 48, doubled to 2 x 24 since
// it has at most 4 channels; two GPUs: 2 x 48 -> 4 x 24; four: 4 x 48 -> 8 x 24.
TEST(ChannelSearch, GivesFewerGpusPerNodeTheirOwnNics) {
  EXPECT_EQ(communicator_shape(16, 16, dgx_h100()).ring, graph(2, 24));
  EXPECT_EQ(communicator_shape(32, 16, dgx_h100()).ring, graph(4, 24));
  EXPECT_EQ(communicator_shape(64, 16, dgx_h100()).ring, graph(8, 24));
}

// With 4 NICs for 8 GPUs the NICs decide: 4 x 48 -> 8 x 24. With 1: 1 x 48 -> 2 x 24.
TEST(ChannelSearch, IsLimitedByTheNics) {
  LocalHardware hardware = dgx_h100();
  hardware.nics = 4;
  EXPECT_EQ(communicator_shape(16, 2, hardware).ring, graph(8, 24));
  hardware.nics = 1;
  EXPECT_EQ(communicator_shape(16, 2, hardware).ring, graph(2, 24));
}

// NVLink limits when the NICs are faster: 8 NICs of 100 GB/s would carry 8 x 96, of which a GPU's
// NVLink sees 7 x 96 = 672 <= 721.8 GB/s; 8 x 96 doubles to 16 x 48. PCIe Gen6 keeps 96 GB/s.
TEST(ChannelSearch, UsesFastNicsAsFarAsNvlinkGoes) {
  LocalHardware hardware = dgx_b200();
  hardware.nic = 100_GBps;
  hardware.pcie = 96_GBps;
  EXPECT_EQ(communicator_shape(16, 2, hardware).ring, graph(16, 48));
  // 12 links, 481.2 GB/s: 5 x 96 = 480, but 11 x 48 = 528, since of 11 channels each GPU lets at
  // least one out by itself and passes on 10 x 48 = 480.
  hardware.nvlinks = 12;
  EXPECT_EQ(communicator_shape(16, 2, hardware).ring, graph(11, 48));
}

// A host without any network rate still gets a channel, as NCCL falls back rather than fail.
TEST(ChannelSearch, FallsBackToOneSlowChannel) {
  LocalHardware hardware = dgx_h100();
  hardware.nic = 0_GBps;
  EXPECT_EQ(communicator_shape(16, 2, hardware).ring, graph(1, 0.1));
}

// Gen4 x16 is 16 GT/s * 16 lanes / 8 * 128/130 = 31.50769 GB/s; NCCL says 24 (NCCL
// src/graph/topo.h).
TEST(ChannelSearch, CountsPcieAsNcclDoes) {
  EXPECT_NEAR(pcie_as_nccl_counts({32e9 * 128.0 / 130.0}).value, 24e9, 1.0);
}

// NCCL src/graph/connect.cc: twice the ring's, once more on Hopper over nodes when fast and fewer
// than 16.
TEST(ChannelSearch, DoublesTheRingsForTheCommunicator) {
  EXPECT_EQ(communicator_channels(communicator_shape(8, 1, dgx_h100())),
            24);  // oracle C-13's count
  EXPECT_EQ(communicator_channels(communicator_shape(16, 2, dgx_h100())),
            16);  // 16 is not below 16
  CommunicatorShape shape = communicator_shape(16, 2, dgx_h100());
  shape.ring.channels = 4;
  EXPECT_EQ(communicator_channels(shape), 16);
  shape.ring.channels = 40;
  EXPECT_EQ(communicator_channels(shape), 64);
}

}  // namespace
}  // namespace quintet
