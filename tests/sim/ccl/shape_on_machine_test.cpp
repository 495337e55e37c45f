#include "sim/ccl/nccl/communicator_shape.h"

#include <gtest/gtest.h>

#include "tests/support/shipped.h"

namespace quintet {
namespace {

// A DGX H100: 18 NVLinks a GPU through NVSwitches, PCIe Gen 5, and a 400 Gbit/s NIC for each of the
// group's eight members of a host.
TEST(ShapeOnMachine, IsWhatNcclSeesOfAHost) {
  const Topology topology = test::shipped_topology("dgx-h100-1024", 2);
  LocalHardware host;
  host.generation = GpuGeneration::hopper;
  host.cpu = HostCpu::intel;
  host.nvlinks = 18;
  host.pcie = pcie_as_nccl_counts(Bandwidth{63.0153846e9});  // as the machine's file says
  host.nic = Bandwidth{50e9};
  host.nics = 8;
  EXPECT_EQ(communicator_shape(topology, host_layout(topology, rank_slots(topology))),
            communicator_shape(16, 2, host));
}

// The same hosts, a GPU of each: no NVSwitch between members, and one NIC.
TEST(ShapeOnMachine, SeesOnlyWhatItsMembersUse) {
  const Topology topology = test::shipped_topology("dgx-h100-1024", 2);
  const std::vector<DeviceId> slots = rank_slots(topology);
  const CommunicatorShape shape =
      communicator_shape(topology, host_layout(topology, {slots[1], slots[9]}));
  EXPECT_EQ(shape.ranks, 2);
  EXPECT_EQ(shape.nodes, 2);
  EXPECT_FALSE(shape.nvswitch);
}

}  // namespace
}  // namespace quintet
