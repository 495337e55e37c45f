// What issuing a kernel takes, from a step launched in two ways.
#include "calibrate/probes/launch_probe.h"

#include <gtest/gtest.h>

namespace quintet::calibrate {
namespace {

using namespace literals;

// 1 ms of which 200 us are around: 800 us for 200 kernels.
TEST(LaunchProbe, TakesTheHostsTimeOfAKernelWhereTheGpuWaitsForIt) {
  const auto time = issue_time({1_ms, 500_us, 200_us, 200});
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->value, 4e-6, 1e-12);
}

TEST(LaunchProbe, TellsNothingWhereTheGpuIsWhatTakesTheTime) {
  EXPECT_FALSE(issue_time({1_ms, 950_us, 200_us, 200}));
  EXPECT_FALSE(issue_time({1_ms, 500_us, 200_us, 0}));
}

TEST(LaunchProbe, NeedsAProbeOfAGpu) {
  const Topology topology;
  const ProbePlace place{topology, "", "", false, {}};
  const auto none = probed_issue_time({{"a", {}, {}, 1_ms}}, {}, place);
  ASSERT_TRUE(none) << none.error().text();
  EXPECT_FALSE(*none);
}

}  // namespace
}  // namespace quintet::calibrate
