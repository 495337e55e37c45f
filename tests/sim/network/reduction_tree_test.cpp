#include "sim/network/route/reduction_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/support/small_worlds.h"

namespace quintet {
namespace {

using test::built;

std::vector<DeviceId> nics_of(const Topology& topology) {
  std::vector<DeviceId> nics;
  for (const Host& host : topology.hosts)
    nics.insert(nics.end(), host.nics.begin(), host.nics.end());
  return nics;
}

// On one switch: the cables of the NICs.
TEST(ReductionTree, OfOneSwitchIsItsCables) {
  const Topology topology = built(test::cpu_host(), 5, test::tree("single_switch", 16));
  const std::vector<LinkId> tree = reduction_tree(topology, nics_of(topology), 0);
  ASSERT_EQ(tree.size(), 5u);
  for (const LinkId link : tree)
    EXPECT_EQ(topology.device(topology.link(link).to).kind, DeviceKind::network_switch);
  EXPECT_EQ(depth_of(topology, tree), Seconds{1e-6});
}

// 16 hosts on leaves of 4: their cables, and one uplink of each of 4 leaves to the spine that the
// number chooses. Every switch but the root sends on once.
TEST(ReductionTree, CrossesEachLinkOnceHoweverManyHostsAreBelow) {
  const Topology topology = built(test::cpu_host(), 16, test::tree("fat_tree", 8));
  std::set<DeviceId> roots;
  for (std::uint64_t number = 0; number < 4; ++number) {
    const std::vector<LinkId> tree = reduction_tree(topology, nics_of(topology), number);
    ASSERT_EQ(tree.size(), 16u + 4u);
    std::map<DeviceId, int> sent;
    for (const LinkId link : tree) ++sent[topology.link(link).from];
    for (const auto& [device, links] : sent) EXPECT_EQ(links, 1);
    for (const LinkId link : tree)
      if (!sent.contains(topology.link(link).to)) roots.insert(topology.link(link).to);
    EXPECT_EQ(depth_of(topology, tree), Seconds{1.5e-6});
  }
  EXPECT_EQ(roots.size(), 2u);  // all spines: 8 ports, two cables to each of 4 leaves
}

}  // namespace
}  // namespace quintet
