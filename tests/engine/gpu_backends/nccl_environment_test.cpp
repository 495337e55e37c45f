#include "engine/gpu_backends/nccl_environment.h"

#include <gtest/gtest.h>

namespace quintet::engine {
namespace {

using Variables = std::vector<std::string>;

// What every run is told.
Variables with_common(const Variables& before, const Variables& after) {
  Variables all = before;
  all.insert(all.end(), {"NCCL_COMM_BLOCKING=1", "NCCL_RUNTIME_CONNECT=0"});
  all.insert(all.end(), after.begin(), after.end());
  return all;
}

const Environment nothing = [](const std::string&) { return std::nullopt; };

TEST(NcclEnvironments, OfADefaultPlanConnectAtTheStart) {
  EXPECT_EQ(nccl_environment({}, nothing), with_common({}, {}));
}

TEST(NcclEnvironments, SayWhatThePlanAsks) {
  NcclSetting setting;
  setting.host_net.delivery = Delivery::staged;
  setting.host_net.queue_pairs = 4;
  setting.tuner = "/lib/tuner.so";
  setting.rules = "/tmp/rules";
  EXPECT_EQ(nccl_environment(setting, nothing),
            with_common({}, {"NCCL_NET_GDR_LEVEL=LOC", "NCCL_IB_QPS_PER_CONNECTION=4",
                             "NCCL_TUNER_PLUGIN=/lib/tuner.so", "QUINTET_NCCL_RULES=/tmp/rules"}));
}

TEST(NcclEnvironments, AskForAProfileWhereThereIsAPlugin) {
  NcclSetting setting;
  setting.profile = "/tmp/profile";
  EXPECT_EQ(nccl_environment(setting, nothing), with_common({}, {}));
  setting.profiler = "/lib/profiler.so";
  EXPECT_EQ(nccl_environment(setting, nothing),
            with_common({}, {"NCCL_PROFILER_PLUGIN=/lib/profiler.so",
                             "QUINTET_NCCL_PROFILE=/tmp/profile"}));
}

TEST(NcclEnvironments, LetRanksShareAGpu) {
  NcclSetting setting;
  setting.rank = Rank{3};
  setting.ranks_per_gpu = 2;
  EXPECT_EQ(nccl_environment(setting, nothing),
            with_common({"NCCL_HOSTID=quintet-rank-3", "NCCL_NET=Socket", "NCCL_SOCKET_IFNAME=lo",
                         "NCCL_IB_DISABLE=1", "NCCL_MAX_CTAS=2"},
                        {}));
}

// But for what tells ranks on one GPU apart, and for what this program counts on.
TEST(NcclEnvironments, LeaveWhatTheUserHasSet) {
  NcclSetting setting;
  setting.rank = Rank{1};
  setting.ranks_per_gpu = 2;
  const Environment given = [](const std::string& name) {
    const bool set = name == "NCCL_HOSTID" || name == "NCCL_MAX_CTAS" || name == "NCCL_NET" ||
                     name == "NCCL_COMM_BLOCKING" || name == "NCCL_RUNTIME_CONNECT";
    return set ? std::optional<std::string>("mine") : std::nullopt;
  };
  EXPECT_EQ(nccl_environment(setting, given),
            (Variables{"NCCL_HOSTID=quintet-rank-1", "NCCL_SOCKET_IFNAME=lo", "NCCL_IB_DISABLE=1",
                       "NCCL_COMM_BLOCKING=1"}));
}

}  // namespace
}  // namespace quintet::engine
