#include "sim/answer/busiest_links.h"

#include <gtest/gtest.h>

#include "sim/command/report.h"
#include "sim/topology/describe/describe.h"
#include "tests/support/shipped.h"

namespace quintet {
namespace {

LinkId link_between(const Topology& topology, const char* from, const char* to) {
  for (const LinkId id : topology.outgoing[device_named(topology, from)->index()])
    if (topology.link(id).to == device_named(topology, to)) return id;
  ADD_FAILURE() << from << " " << to;
  return LinkId{0};
}

// One second: a DGX A100's NVLink could carry 300 GB, its PCIe 31.5076923 GB.
// 30 GB on two NVLink wires and 3 GB on a third are 10 %, two alike; 6.30153846 GB on PCIe 20 %.
TEST(BusiestLinks, AreOnePerKindByShareOfWhatTheWireCould) {
  const Topology topology = test::shipped_topology("dgx-a100-1");
  std::vector<Bytes> carried(topology.links.size());
  const auto carry = [&](const char* from, const char* to, Bytes size) {
    carried[link_between(topology, from, to).index()] = size;
  };
  carry("host0/gpu1", "host0/nvswitch0", Bytes{30e9});
  carry("host0/nvswitch0", "host0/gpu2", Bytes{30e9});
  carry("host0/gpu3", "host0/nvswitch0", Bytes{3e9});
  carry("host0/gpu4", "host0/pcie2", Bytes{6.30153846e9});
  const std::vector<BusyLinks> busiest = busiest_links(topology, carried, Seconds{1});
  ASSERT_EQ(busiest.size(), 2);
  EXPECT_EQ(busiest[0].link, "host0/gpu4 -> host0/pcie2");
  EXPECT_EQ(busiest[0].part, "PCIe Gen4 x16");
  EXPECT_EQ(busiest[0].alike, 1);
  EXPECT_NEAR(busiest[0].utilisation, 0.2, 1e-12);
  EXPECT_EQ(busiest[1], (BusyLinks{"host0/gpu1 -> host0/nvswitch0", "NVLink 3 port (12 links)", 2,
                                   Bytes{30e9}, 0.1}));
}

TEST(BusiestLinks, AreNoneInAStepWithoutTimeOrTraffic) {
  const Topology topology = test::shipped_topology("dgx-a100-1");
  const std::vector<Bytes> idle(topology.links.size()), busy(topology.links.size(), Bytes{1});
  EXPECT_EQ(busiest_links(topology, idle, Seconds{1}), std::vector<BusyLinks>{});
  EXPECT_EQ(busiest_links(topology, busy, Seconds{0}), std::vector<BusyLinks>{});
}

using Names = std::vector<std::string>;

TEST(DistinctEnds, LeaveOutTheWordsThatAllNamesBeginWith) {
  EXPECT_EQ(distinct_ends({"llama-h100-tp8-pp4", "llama-h100-tp8-dp4"}), (Names{"pp4", "dp4"}));
  EXPECT_EQ(distinct_ends({"toy_1f1b", "toy_1f1c"}), (Names{"1f1b", "1f1c"}));
}

TEST(DistinctEnds, KeepNamesThatShareNoWord) {
  EXPECT_EQ(distinct_ends({"tp8", "tp4"}), (Names{"tp8", "tp4"}));
  EXPECT_EQ(distinct_ends({"toy-pipeline"}), (Names{"toy-pipeline"}));
  EXPECT_EQ(distinct_ends({"toy-", "toy-a"}), (Names{"toy-", "toy-a"}));
  EXPECT_EQ(distinct_ends({}), Names{});
}

// "tp8" is all of the first name and the beginning of the second.
TEST(DistinctEnds, KeepAWordThatANameEndsWith) {
  EXPECT_EQ(distinct_ends({"x-tp8", "x-tp8-pp4"}), (Names{"tp8", "tp8-pp4"}));
}

}  // namespace
}  // namespace quintet
