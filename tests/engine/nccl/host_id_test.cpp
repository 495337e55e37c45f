#include "engine/nccl/host_id.h"

#include <gtest/gtest.h>

namespace quintet::engine {
namespace {

using Variables = std::vector<std::string>;

TEST(HostId, EveryRankOfASharedGpuIsAHostOfItsOwn) {
  EXPECT_EQ(host_id_environment(Rank{3}, 2),
            (Variables{"NCCL_HOSTID=quintet-rank-3", "NCCL_NET=Socket", "NCCL_SOCKET_IFNAME=lo",
                       "NCCL_IB_DISABLE=1", "NCCL_MAX_CTAS=2"}));
  EXPECT_NE(host_id_environment(Rank{0}, 2), host_id_environment(Rank{1}, 2));
}

TEST(HostId, ARankThatHasItsGpuAloneNeedsNothing) {
  EXPECT_EQ(host_id_environment(Rank{3}, 1), Variables{});
}

TEST(HostId, PluginsThatAreNotAskedForAreNotNamed) {
  EXPECT_EQ(plugin_environment({.profiler = "/p.so", .profile = "/x"}),
            (Variables{"NCCL_PROFILER_PLUGIN=/p.so", "QUINTET_NCCL_PROFILE=/x"}));
}

}  // namespace
}  // namespace quintet::engine
