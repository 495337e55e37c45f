#include "sim/network/route/network_rates.h"

#include <gtest/gtest.h>

#include "tests/support/shipped.h"

namespace quintet {
namespace {

// A cable between two switches of a fat tree and one to a host, both InfiniBand with an MTU of
// 4096: of the first, spraying reaches 0.9 of what framing leaves.
TEST(NetworkLinkRate, IsWhatFramingAndSprayingLeave) {
  const Topology topology = test::shipped_topology("dgx-h100-1024", 64);
  const double framing = 4096.0 / 4122.0;
  Network network;
  network.spray_efficiency = 0.9;
  int between = 0;
  for (const Link& link : topology.links) {
    if (link.kind != LinkKind::network) continue;
    network.routing = Routing::ecmp;
    EXPECT_DOUBLE_EQ(network_link_rate(topology, network, link).value,
                     framing * link.bandwidth.value);
    network.routing = Routing::spray;
    const bool switches =
        !topology.device(link.from).host.valid() && !topology.device(link.to).host.valid();
    between += switches ? 1 : 0;
    EXPECT_DOUBLE_EQ(network_link_rate(topology, network, link).value,
                     (switches ? 0.9 : 1.0) * framing * link.bandwidth.value);
  }
  EXPECT_GT(between, 0);
}

}  // namespace
}  // namespace quintet
