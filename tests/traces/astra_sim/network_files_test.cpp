#include <filesystem>

#include <gtest/gtest.h>

#include "sim/base/text_file.h"
#include "traces/astra_sim/astra_network.h"
#include "traces/astra_sim/flat_lists.h"
#include "traces/astra_sim/other_networks.h"

namespace quintet {
namespace {

const std::filesystem::path samples = QUINTET_SOURCE_DIR "/../shared/samples/astra-sim/network";

#define NEED_SAMPLES()                   \
  if (!std::filesystem::exists(samples)) \
  GTEST_SKIP() << "NOT TESTED on real files: there are no samples at " << samples

constexpr const char* three = R"(# three dimensions
topology: [ Ring, FullyConnected, Switch ]
npus_count: [ 2, 8, 4 ]   # 64
bandwidth: [ 200.0, 100.0, 50.0 ]
latency: [ 50.0, 500.0, 2000.0 ]
)";

std::string error_of(const std::string& text) {
  const auto network = astra_network_of(text, "net.yml");
  return network ? "read" : network.error().text();
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(AstraNetworkFile, HasAShapePerDimension) {
  const auto network = astra_network_of(three, "net.yml");
  ASSERT_TRUE(network) << network.error().text();
  EXPECT_EQ(*network, (AstraNetwork{{{AstraShape::ring, 2, 200.0, 50.0},
                                     {AstraShape::fully_connected, 8, 100.0, 500.0},
                                     {AstraShape::star, 4, 50.0, 2000.0}}}));
  EXPECT_EQ(ranks_of(*network), 64);
  EXPECT_EQ(*astra_network_of(astra_network_text(*network), "again"), *network);
  EXPECT_EQ(bandwidth_of({AstraShape::ring, 2, 50.0, 0.0}).value, 50.0 * 1073741824.0);
}

TEST(AstraNetworkFile, SaysOnWhichLineItIsWrong) {
  EXPECT_EQ(
      error_of(with(three, "Ring,", "Rong,")),
      "net.yml: line 2: the topology \"Rong\" is not known (did you mean Ring?); known are Ring, "
      "FullyConnected, Switch");
  EXPECT_EQ(error_of(with(three, "npus_count", "npu_count")).substr(0, 55),
            "net.yml: line 3: the key \"npu_count\" is not known (did ");
  EXPECT_EQ(error_of(with(three, "[ 2, 8, 4 ]", "[ 2, 8 ]")),
            "net.yml: line 3: npus_count has 2 values, topology has 3: give one a dimension");
  EXPECT_EQ(error_of(with(three, "8, 4", "8, 1")),
            "net.yml: line 3: \"1\" is no number from 2 to 1048576, which npus_count takes");
  EXPECT_EQ(error_of(with(three, "8, 4", "8, 2.5")),
            "net.yml: line 3: \"2.5\" is no whole number of ranks");
  EXPECT_EQ(error_of(with(three, "100.0", "nan")),
            "net.yml: line 4: \"nan\" is no number from 1e-09 to 1000000000000000, which bandwidth "
            "takes");
  EXPECT_EQ(error_of(with(three, "8, 4", "1048576, 1048576")).substr(0, 16), "net.yml: line 3:");
  EXPECT_EQ(error_of(""),
            "net.yml: has no \"topology:\"; a network file has topology, npus_count, "
            "bandwidth, latency");
}

TEST(AstraNetworkFile, RefusesYamlThatItDoesNotRead) {
  for (const char* text : {"topology:\n  - Ring\n", "topology: [ Ring\n", "topology: { a: 1 }\n",
                           "topology: [ [ Ring ] ]\n", "topology: &x [ Ring ]\n", "topology\n",
                           "topology: [ , Ring ]\n", "topology: | Ring\n"}) {
    const std::string error = error_of(text);
    EXPECT_EQ(error.substr(0, 16), "net.yml: line 1:") << text << error;
    EXPECT_NE(error.find("accepted is \"key: [ a, b ]\""), std::string::npos) << error;
  }
  EXPECT_EQ(error_of("latency: [ 1 ]\nlatency: [ 2 ]\n"),
            "net.yml: line 2: the key \"latency\" was on line 1 before; leave one of them");
}

TEST(AstraNetworkFile, ReadsEverySampleOfTheAnalyticalBackEnds) {
  NEED_SAMPLES();
  int files = 0;
  for (const char* folder : {"analytical", "astra-network-analytical"})
    for (const auto& file : std::filesystem::directory_iterator(samples / folder)) {
      const auto network = read_astra_network(file);
      ASSERT_TRUE(network) << network.error().text();
      EXPECT_EQ(*astra_network_of(astra_network_text(*network), "again"), *network);
      ++files;
    }
  EXPECT_EQ(files, 8);
  EXPECT_EQ(*read_astra_network(samples / "analytical/HGX-H100-validated.yml"),
            (AstraNetwork{{{AstraShape::star, 8, 400.0, 936.25}}}));
}

TEST(AstraNetworkFile, RefusesSamplesOfPacketBackEndsWithWhatTheyAre) {
  NEED_SAMPLES();
  const auto ns3 = read_astra_network(samples / "ns3/sample_16nodes_2D.json");
  ASSERT_FALSE(ns3);
  EXPECT_NE(ns3.error().what.find("logical shape 8 x 2 for ns-3"), std::string::npos)
      << ns3.error().text();
  const auto htsim = read_astra_network(samples / "htsim/8nodes.topo");
  ASSERT_FALSE(htsim);
  EXPECT_NE(htsim.error().what.find("fat tree of 8 hosts and 3 tiers for htsim"), std::string::npos)
      << htsim.error().text();
}

TEST(OtherNetworks, SayWhatTheyHold) {
  NEED_SAMPLES();
  const auto text = read_text_file(samples / "htsim/8nodes.topo");
  const auto topology = htsim_topology_of(*text, "8nodes.topo");
  ASSERT_TRUE(topology) << topology.error().text();
  EXPECT_EQ(topology->pod_size, 4);
  // 200 Gbps are 25 GB/s.
  EXPECT_EQ(topology->tiers.front(), (HtsimTier{{25e9}, {1e-6}, 2, 2, 1, 1}));
  EXPECT_EQ(topology->tiers.back(), (HtsimTier{{12.5e9}, {1e-6}, 4, 0, 2, 1}));
}

TEST(OtherNetworks, SayWhereTheyAreWrong) {
  const auto wrong = [](const std::string& text) {
    return htsim_topology_of(text, "a").error().text();
  };
  EXPECT_EQ(wrong("Nodes 8\nTiers 9\n"),
            "a: line 2: found \"Tiers 9\": Tiers stands once, with 1 to 3");
  EXPECT_EQ(wrong("Nodes 8\nTiers 2\nTier 2\n"),
            "a: line 3: found \"Tier 2\": there are 2 tiers, counted from 0");
  EXPECT_EQ(wrong("Nodes 8\nTiers 2\nBundle 1\n"),
            "a: line 3: found \"Bundle 1\": belongs under a \"Tier\" line");
  EXPECT_EQ(wrong("Nodes x\n"), "a: line 1: found \"Nodes x\"; expected a word and a whole number");
  const auto dimensions = ns3_dimensions_of(R"({"logical-dims": ["8", 2]})", "b");
  EXPECT_EQ(dimensions.error().text(),
            "b: logical-dims: found the number 2; expected numbers in quotes, as \"8\"");
}

}  // namespace
}  // namespace quintet
