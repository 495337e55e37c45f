#include "sim/host_net/host_path.h"

#include <gtest/gtest.h>

#include "sim/topology/describe/describe.h"
#include "sim/topology/file/topology_file.h"

namespace quintet {
namespace {

Topology shipped(const std::string& name, int hosts) {
  TopologyOptions options;
  options.hosts = hosts;
  const Result<Topology> topology =
      read_topology(std::string(QUINTET_SOURCE_DIR) + "/topologies/" + name + ".json", options);
  EXPECT_TRUE(topology.has_value()) << (topology ? "" : topology.error().text());
  return topology ? *topology : Topology{};
}

// A path in words.
struct Named {
  std::vector<std::string> waypoints;
  Seconds latency;
  bool operator==(const Named&) const = default;
};

Named path(const Topology& topology, const std::string& slot, Delivery delivery,
           Direction direction) {
  const HostPath found = host_path(topology, *device_named(topology, slot), delivery, direction);
  Named named{{}, found.latency};
  for (const DeviceId waypoint : found.waypoints)
    named.waypoints.push_back(topology.device(waypoint).name);
  return named;
}

// DGX H100: a GPU and a NIC on each PCIe switch, GPUs 4-7 behind the second socket.
TEST(HostPath, GoesStraightToTheNicOnTheSamePcieSwitch) {
  const Topology topology = shipped("dgx-h100-1024", 2);
  EXPECT_EQ((Named{{"host1/gpu5", "host1/nic5"}, Seconds{0}}),
            path(topology, "host1/gpu5", Delivery::direct, Direction::to_wire));
  EXPECT_EQ((Named{{"host1/nic5", "host1/gpu5"}, Seconds{0}}),
            path(topology, "host1/gpu5", Delivery::direct, Direction::from_wire));
}

// 5 us at each end: half of the 10 us of a staged copy.
TEST(HostPath, PassesHostMemoryWhenStaged) {
  const Topology topology = shipped("dgx-h100-1024", 2);
  EXPECT_EQ((Named{{"host0/gpu5", "host0/cpu1", "host0/nic5"}, Seconds{5e-6}}),
            path(topology, "host0/gpu5", Delivery::staged, Direction::to_wire));
  EXPECT_EQ((Named{{"host0/nic2", "host0/cpu0", "host0/gpu2"}, Seconds{5e-6}}),
            path(topology, "host0/gpu2", Delivery::staged, Direction::from_wire));
}

TEST(HostPath, NeedsNoKernelWhenDelegated) {
  EXPECT_TRUE(uses_kernel(Delivery::direct));
  EXPECT_TRUE(uses_kernel(Delivery::staged));
  EXPECT_FALSE(uses_kernel(Delivery::delegated));
  const Topology topology = shipped("dgx-h100-1024", 2);
  EXPECT_EQ((Named{{"host0/gpu0", "host0/cpu0", "host0/nic0"}, Seconds{5e-6}}),
            path(topology, "host0/gpu0", Delivery::delegated, Direction::to_wire));
  EXPECT_EQ((Named{{"host0/nic0", "host0/cpu0", "host0/gpu0"}, Seconds{5e-6}}),
            path(topology, "host0/gpu0", Delivery::delegated, Direction::from_wire));
}

// From the socket behind the GPU's switch. Where the GPU's processor is the rank itself, or the
// host has no NIC, there is no such way.
TEST(HostPath, BeginsAndEndsInHostMemory) {
  const Topology topology = shipped("dgx-h100-1024", 2);
  const DeviceId gpu = *device_named(topology, "host0/gpu5");
  const DeviceId cpu = *device_named(topology, "host0/cpu1");
  const DeviceId nic = *device_named(topology, "host0/nic5");
  EXPECT_EQ((HostPath{{cpu, nic}, Seconds{5e-6}}), memory_path(topology, gpu, Direction::to_wire));
  EXPECT_EQ((HostPath{{nic, cpu}, Seconds{5e-6}}),
            memory_path(topology, gpu, Direction::from_wire));
  const Topology processors = shipped("ethernet-cpu-4", 2);
  EXPECT_EQ(HostPath{},
            memory_path(processors, rank_slots(processors).front(), Direction::to_wire));
}

// DGX A100: two GPUs and two NICs on each of four switches, dealt out in order.
TEST(HostPath, KeepsToItsOwnNicOnA100Hosts) {
  const Topology topology = shipped("selene-a100", 2);
  for (int gpu = 0; gpu < 8; ++gpu) {
    const std::string slot = "host0/gpu" + std::to_string(gpu);
    const std::string nic = "host0/nic" + std::to_string(gpu);
    const std::string cpu = "host0/cpu" + std::to_string(gpu / 4);
    EXPECT_EQ((Named{{slot, nic}, Seconds{0}}),
              path(topology, slot, Delivery::direct, Direction::to_wire));
    EXPECT_EQ((Named{{slot, cpu, nic}, Seconds{5e-6}}),
              path(topology, slot, Delivery::staged, Direction::to_wire));
  }
}

// Samsung's hosts have four NICs for eight GPUs: two share one.
TEST(HostPath, SharesNicsWhereThereAreFewer) {
  const Topology topology = shipped("samsung-a100-1024", 2);
  for (int gpu = 0; gpu < 8; ++gpu)
    EXPECT_EQ(
        "host0/nic" + std::to_string(gpu / 2),
        path(topology, "host0/gpu" + std::to_string(gpu), Delivery::direct, Direction::to_wire)
            .waypoints.back());
}

// A CPU rank is in host memory already: nothing to stage.
TEST(HostPath, HasNothingToStageForCpuRanks) {
  const Topology topology = shipped("ethernet-cpu-4", 2);
  const DeviceId slot = rank_slots(topology).front();
  const HostPath direct = host_path(topology, slot, Delivery::direct, Direction::to_wire);
  const HostPath staged = host_path(topology, slot, Delivery::staged, Direction::to_wire);
  EXPECT_EQ(2U, direct.waypoints.size());
  EXPECT_EQ(direct, staged);
}

TEST(HostPath, IsEmptyWithoutANic) {
  Topology topology = shipped("dgx-h100-1", 1);
  const DeviceId slot = rank_slots(topology).front();
  for (Host& host : topology.hosts) host.nics.clear();
  for (std::vector<LinkId>& links : topology.outgoing)
    std::erase_if(links, [&](LinkId link) {
      return topology.device(topology.link(link).to).kind == DeviceKind::nic;
    });
  EXPECT_EQ(HostPath{}, host_path(topology, slot, Delivery::direct, Direction::to_wire));
}

// PCIe: 256 of 280 bytes; NVLink: NCCL's 20.6 and 20 GB/s of the vendor's 25 per link.
TEST(LinkEfficiency, IsWhatFramingLeaves) {
  EXPECT_DOUBLE_EQ(256.0 / 280.0, link_efficiency(LinkKind::pcie, 90));
  EXPECT_DOUBLE_EQ(0.824, link_efficiency(LinkKind::nvlink, 90));
  EXPECT_DOUBLE_EQ(0.8, link_efficiency(LinkKind::nvlink, 80));
  EXPECT_DOUBLE_EQ(1.0, link_efficiency(LinkKind::network, 90));
  EXPECT_DOUBLE_EQ(1.0, link_efficiency(LinkKind::socket, 90));
}

TEST(Delivery, MayDifferBetweenStages) {
  HostNet host_net;
  host_net.delivery = Delivery::staged;
  EXPECT_EQ(Delivery::staged, delivery_of(host_net, Axis::pipeline));
  host_net.pipeline_delivery = Delivery::delegated;
  EXPECT_EQ(Delivery::delegated, delivery_of(host_net, Axis::pipeline));
  EXPECT_EQ(Delivery::staged, delivery_of(host_net, Axis::data));
}

}  // namespace
}  // namespace quintet
