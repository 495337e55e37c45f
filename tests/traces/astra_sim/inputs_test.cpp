#include <unistd.h>

#include "traces/astra_sim/inputs.h"

#include <gtest/gtest.h>

#include "sim/base/text_file.h"
#include "sim/topology/file/topology_file.h"
#include "tests/traces/astra_sim/astra_table.h"
#include "traces/astra_sim/remote_memory.h"

namespace quintet {
namespace {

const std::filesystem::path topologies = QUINTET_SOURCE_DIR "/topologies";

Topology shipped(const std::string& name) {
  const auto topology = read_topology(topologies / (name + ".json"));
  EXPECT_TRUE(topology) << topology.error().text();
  return topology ? *topology : Topology{};
}

std::filesystem::path fresh_directory() {
  const auto directory = std::filesystem::path(testing::TempDir()) / ("quintet_astra_inputs_" + std::to_string(getpid()));
  std::filesystem::remove_all(directory);
  return directory;
}

// The H100's NVLink is 450 GB/s one way, in gigabytes of 2^30 bytes 419.1; a NIC of 400 Gb/s for
// each GPU is 50 GB/s, 46.57.
TEST(AstraInputs, HaveADimensionInsideHostsAndOneAcross) {
  const auto inputs = astra_inputs_of(shipped("dgx-h100"));
  ASSERT_TRUE(inputs) << inputs.error().text();
  ASSERT_EQ(inputs->network.dimensions.size(), 2U);
  const AstraDimension& inside = inputs->network.dimensions[0];
  const AstraDimension& across = inputs->network.dimensions[1];
  EXPECT_EQ(inside.shape, AstraShape::star);
  EXPECT_EQ(inside.ranks, 8);
  EXPECT_NEAR(inside.gigabytes, 450e9 / 0x1p30, 0.01);
  EXPECT_NEAR(across.gigabytes, 50e9 / 0x1p30, 0.01);
  EXPECT_GT(across.nanoseconds, inside.nanoseconds);
  EXPECT_EQ(inputs->system.memory_gigabytes, 3350.0);
}

TEST(AstraInputs, AreWrittenAndReadBackAndReplayed) {
  const auto inputs = astra_inputs_of(shipped("dgx-h100"));
  ASSERT_TRUE(inputs) << inputs.error().text();
  const auto directory = fresh_directory();
  const auto wrong = write_astra_inputs(directory, *inputs);
  ASSERT_FALSE(wrong) << wrong->text();
  const auto network = read_astra_network(directory / "network.yml");
  ASSERT_TRUE(network) << network.error().text();
  EXPECT_EQ(*network, inputs->network);
  const auto system = read_astra_system(directory / "system.json");
  ASSERT_TRUE(system) << system.error().text();
  EXPECT_EQ(*system, inputs->system);
  EXPECT_EQ(*read_astra_remote_memory(directory / "remote_memory.json"), AstraRemoteMemory{});
  EXPECT_NE(read_text_file(directory / "lost.txt")->find("one wire to a switch"),
            std::string::npos);
  const int ranks = ranks_of(*network);
  const auto times =
      replay_by_astra_rules(one_collective(CollectiveKind::all_reduce, 64 * mebibyte, ranks),
                            *network, *system, AstraBackend::congestion_unaware);
  ASSERT_TRUE(times) << times.error().text();
  // Half of the buffer's eighth crosses a NIC twice or more: never faster than the wire.
  const double hosts = network->dimensions[1].ranks;
  EXPECT_GT(seconds(times->end - Instant{}).value,
            2 * (hosts - 1) / hosts * 64 * mebibyte / 8 / 50e9);
  std::filesystem::remove_all(directory);
}

// Whatever machine is shipped: its inputs are right for ASTRA-sim, or it is said why there are
// none.
TEST(AstraInputs, AreMadeOfEveryShippedMachineOrRefused) {
  int made = 0, refused = 0;
  for (const auto& file : std::filesystem::directory_iterator(topologies)) {
    if (file.path().extension() != ".json") continue;
    const auto topology = read_topology(file);
    if (!topology) continue;
    const auto inputs = astra_inputs_of(*topology);
    if (!inputs) {
      ++refused;
      EXPECT_FALSE(inputs.error().what.empty());
      continue;
    }
    ++made;
    const auto again = astra_network_of(astra_network_text(inputs->network), file.path().string());
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(*again, inputs->network);
    EXPECT_EQ(static_cast<std::size_t>(ranks_of(*again)), rank_slots(*topology).size());
  }
  EXPECT_GT(made, 20);
  RecordProperty("refused", refused);
}

TEST(AstraInputs, SayWhatIsLost) {
  const auto inputs = astra_inputs_of(shipped("dgx-2"));
  ASSERT_TRUE(inputs) << inputs.error().text();
  EXPECT_GE(inputs->lost.size(), 4U);
}

TEST(AstraInputs, RefuseUnequalHostsAndOneRank) {
  Topology topology = shipped("dgx-h100");
  topology.hosts.back().gpus.pop_back();
  EXPECT_NE(astra_inputs_of(topology).error().what.find("has 7 rank slots, the first has 8"),
            std::string::npos);
  topology.hosts.resize(1);
  topology.hosts.front().gpus.resize(1);
  EXPECT_NE(astra_inputs_of(topology).error().what.find("has 1 ranks"), std::string::npos);
}

TEST(AstraInputs, SayWhereTheyCannotBeWritten) {
  AstraInputs inputs;
  inputs.network.dimensions = {{}};
  EXPECT_NE(write_astra_inputs("/proc/nothing/here", inputs)->text().find("/proc/nothing/here"),
            std::string::npos);
}

}  // namespace
}  // namespace quintet
