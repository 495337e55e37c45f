// Bad files: every error names file, place and what would do.
#include <gtest/gtest.h>

#include <string>

#include "sim/topology/file/topology_file.h"
#include "tests/support/small_worlds.h"

namespace quintet {
namespace {

std::string good() {
  return test::machine(test::cpu_host(), 4, test::tree("fat_tree", 4));
}

std::string with(std::string text, const std::string& old, const std::string& replacement) {
  const std::size_t place = text.find(old);
  EXPECT_NE(place, std::string::npos) << old;
  return text.replace(place, old.size(), replacement);
}

// The error's place, and a piece of what it says.
void expect_error(const std::string& text, const std::string& where, const std::string& what) {
  const Result<Topology> topology = test::parsed(text);
  ASSERT_FALSE(topology.has_value());
  EXPECT_EQ(topology.error().where, where);
  EXPECT_NE(topology.error().what.find(what), std::string::npos) << topology.error().what;
}

TEST(BadTopology, TheGoodOneIsGood) {
  EXPECT_TRUE(test::parsed(good()).has_value());
}

TEST(BadTopology, UnknownKey) {
  expect_error(with(good(), "\"hosts\"", "\"hots\""), "test.json: hots", "did you mean");
  expect_error(with(good(), "\"ports\": 4", "\"ports\": 4, \"color\": 1"),
               "test.json: network.switch.color", "unknown key");
}

TEST(BadTopology, BareNumberOrWrongUnit) {
  expect_error(with(good(), "\"50 GB/s\"", "50"), "test.json: host.nic.bandwidth", "450 GB/s");
  expect_error(with(good(), "\"50 GB/s\"", "\"50 GB\""), "test.json: host.nic.bandwidth", "GB/s");
  expect_error(with(good(), "\"1 us\"", "\"1 meter\""), "test.json: network.host_link.latency",
               "us");
}

TEST(BadTopology, NegativeZeroOrNotANumber) {
  expect_error(with(good(), "\"50 GB/s\"", "\"-50 GB/s\""), "test.json: host.nic.bandwidth",
               "-50 GB/s");
  expect_error(with(good(), "\"50 GB/s\"", "\"0 GB/s\""), "test.json: host.nic.bandwidth",
               "more than zero");
  expect_error(with(good(), "\"50 GB/s\"", "\"nan GB/s\""), "test.json: host.nic.bandwidth", "nan");
  expect_error(with(good(), "\"1 us\"", "\"-1 us\""), "test.json: network.host_link.latency",
               "negative");
}

// The clock counts picoseconds in 64 bits.
TEST(BadTopology, NumbersNoMachineHas) {
  expect_error(with(good(), "\"1 us\"", "\"1e12 s\""), "test.json: network.host_link.latency",
               "at most");
  expect_error(with(good(), "\"50 GB/s\"", "\"1e12 GB/s\""), "test.json: host.nic.bandwidth",
               "at most");
}

TEST(BadTopology, MissingSource) {
  expect_error(with(good(), R"(, "latency": "1 us", "source": "test")", R"(, "latency": "1 us")"),
               "test.json: network.host_link.source", "data sheet");
  expect_error(
      with(good(), R"("latency": "1 us", "source": "test")", R"("latency": "1 us", "source": "")"),
      "test.json: network.host_link.source", "data sheet");
}

// Refused before anything is allocated: these return at once.
TEST(BadTopology, AbsurdlyMany) {
  expect_error(with(good(), "\"hosts\": 4", "\"hosts\": 1000000000"), "test.json: hosts", "131072");
  expect_error(with(good(), "\"hosts\": 4", "\"hosts\": 0"), "test.json: hosts", "1");
  expect_error(with(good(), "\"slots\": 1", "\"slots\": 1000000"), "test.json: host.slots", "1024");
  expect_error(
      with(with(good(), "\"hosts\": 4", "\"hosts\": 131072"), "\"slots\": 1", "\"slots\": 1024"),
      "test.json: network.tiers", "larger switches");
  expect_error(test::machine(with(test::cpu_host(), "\"slots\": 1", "\"slots\": 1024"), 131'072,
                             test::tree("single_switch", 131'072)),
               "test.json: hosts", "devices");
}

TEST(BadTopology, MoreHostsThanPorts) {
  expect_error(test::machine(test::cpu_host(), 5, test::tree("single_switch", 4)),
               "test.json: network.switch.ports", "5 NICs");
  expect_error(test::machine(test::cpu_host(), 9, test::tree("fat_tree", 4)),
               "test.json: network.tiers", "\"tiers\" to 3");
  expect_error(test::machine(test::gpu_host(8, 8), 4,
                             test::tree("rail_optimised", 32, ", \"hosts_per_leaf\": 17")),
               "test.json: network.switch.ports", "17 ports down");
}

TEST(BadTopology, CountsThatDoNotFit) {
  const auto counts = [](const std::string& fields) {
    return test::machine(test::cpu_host(), 17, test::tree("fat_tree", 8, fields));
  };
  expect_error(counts(R"(, "children": [4, 4], "parents": [1, 2])"), "test.json: network.children",
               "16 NICs");
  expect_error(counts(R"(, "children": [4, 8], "parents": [2, 2])"), "test.json: network.parents",
               "one leaf");
  expect_error(counts(R"(, "children": [4, 8], "parents": [1])"), "test.json: network.children",
               "each of 1 to 3 tiers");
  expect_error(counts(R"(, "children": [4, 8], "parents": [1, 5])"),
               "test.json: network.switch.ports", "9 cables");
}

TEST(BadTopology, HostsWithoutANetwork) {
  expect_error(test::machine(test::cpu_host(), 2, ""), "test.json: network", "host0");
}

std::string chain_without(const std::string& link) {
  return R"({"family": "explicit", "protocol": "tcp", "parts": {"p": "t"},
    "devices": [{"name": "s0", "kind": "network_switch", "part": "p"},
                {"name": "s1", "kind": "network_switch", "part": "p"}],
    "links": [{"from": "host0/nic0", "to": "s0", "bandwidth": "1 GB/s", "latency": "0 s",
               "part": "p"}, {"from": "host1/nic0", "to": "s1", "bandwidth": "1 GB/s",
               "latency": "0 s", "part": "p"})" +
         link + "]}";
}

TEST(BadTopology, DisconnectedGraph) {
  expect_error(test::machine(test::cpu_host(), 2, chain_without("")), "test.json: network",
               "not connected");
}

// Joined only through a third host, which does not forward.
TEST(BadTopology, SwitchesJoinedOnlyThroughAHost) {
  expect_error(
      test::machine(test::cpu_host(), 2, chain_without(R"(, {"from": "host0/nic0", "to": "s1",
                               "bandwidth": "1 GB/s", "latency": "0 s", "part": "p"})")),
      "test.json: network.links", "hosts do not forward");
}

TEST(BadTopology, LinksOfUnknownDevicesAndParts) {
  const auto with_link = [](const std::string& fields) {
    return test::machine(test::cpu_host(), 2, chain_without(", {" + fields + "}"));
  };
  expect_error(with_link(R"("from": "s0", "to": "s9", "bandwidth": "1 GB/s", "latency": "0 s",
                            "part": "p")"),
               "test.json: network.links[2]", "\"s9\"");
  expect_error(with_link(R"("from": "s0", "to": "s0", "bandwidth": "1 GB/s", "latency": "0 s",
                            "part": "p")"),
               "test.json: network.links[2]", "itself");
  expect_error(with_link(R"("from": "s0", "to": "s1", "bandwidth": "1 GB/s", "latency": "0 s",
                            "part": "q")"),
               "test.json: network.links[2].part", "\"q\"");
}

TEST(BadTopology, MissingHostFileNamesThatFileAndThePlaceThatAsksForIt) {
  const Result<Topology> topology =
      test::parsed(R"({"name": "x", "host": "hosts/none.json", "hosts": 1})");
  ASSERT_FALSE(topology.has_value());
  EXPECT_EQ("test.json: host", topology.error().where);
  EXPECT_NE(topology.error().what.find("hosts/none.json"), std::string::npos);
}

TEST(BadTopology, NoTopologyAtAll) {
  expect_error("", "test.json", "empty");
  expect_error("[1, 2]", "test.json", "expected an object");
  expect_error("{}", "test.json: name", "missing");
  expect_error(R"({"name": "x", "host": 7})", "test.json: host", "hosts/dgx-h100.json");
  expect_error(R"({"name": "x", "host_groups": []})", "test.json: host_groups", "1 to 64");
  EXPECT_FALSE(read_topology("no/such/file.json").has_value());
  EXPECT_FALSE(read_topology("/").has_value());
}

TEST(HostOverride, SizesTheNetworkAnew) {
  TopologyOptions options;
  options.hosts = 2;
  const Result<Topology> topology = parse_topology(good(), "test.json", ".", options);
  ASSERT_TRUE(topology.has_value()) << topology.error().text();
  EXPECT_EQ(topology->hosts.size(), 2u);
  EXPECT_EQ(test::count(*topology, DeviceKind::network_switch, 1), 1);
  EXPECT_EQ(topology->name, "test machine, 2 hosts");
}

TEST(HostOverride, IsRefusedForListedLinksAndAbsurdNumbers) {
  TopologyOptions options;
  options.hosts = 0;
  EXPECT_FALSE(parse_topology(good(), "test.json", ".", options).has_value());
  options.hosts = 3;
  EXPECT_FALSE(
      read_topology(QUINTET_SOURCE_DIR "/topologies/pipeline-4.json", options).has_value());
}

TEST(TopologyLimits, BoundWhatIsBuilt) {
  TopologyOptions options;
  options.limits.devices = 10;
  const Result<Topology> topology = parse_topology(good(), "test.json", ".", options);
  ASSERT_FALSE(topology.has_value());
  EXPECT_EQ(topology.error().where, "test.json: hosts");
}

// Every prefix of a good file is either good or an error, never a crash (the libFuzzer target goes
// further).
TEST(BadTopology, EveryPrefixOfAGoodFileIsAnError) {
  const std::string text = good();
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(test::parsed(text.substr(0, length)).has_value()) << length;
}

}  // namespace
}  // namespace quintet
