#include "sim/intra_inter/rails.h"

#include <gtest/gtest.h>

#include "tests/support/shipped.h"

namespace quintet {
namespace {

// A GPU stripes evenly over its host's NVSwitches (a DGX H100's four are one device in its file),
// and what comes back takes the other direction of the same wires.
TEST(SwitchWays, StripeOverAllSwitchesOfTheHost) {
  const Topology topology = test::shipped_topology("dgx-h100-1024", 2);
  const DeviceId gpu = rank_slots(topology)[9];
  const Route there = to_switch(topology, gpu), back = from_switch(topology, gpu);
  ASSERT_EQ(there.links.size(), 1u);
  ASSERT_EQ(back.links.size(), 1u);
  for (std::size_t wire = 0; wire < there.links.size(); ++wire) {
    const Link& out = topology.link(there.links[wire].link);
    const Link& in = topology.link(back.links[wire].link);
    EXPECT_EQ(out.from, gpu);
    EXPECT_EQ(topology.device(out.to).kind, DeviceKind::nvswitch);
    EXPECT_EQ(in.from, out.to);
    EXPECT_EQ(in.to, gpu);
    EXPECT_EQ(there.links[wire].share, 1.0);
  }
}

}  // namespace
}  // namespace quintet
