// What NCCL is told by its environment for a plan, before it is loaded.
#pragma once

#include <string>
#include <vector>

#include "engine/launch/rank_identity.h"
#include "sim/base/ids.h"
#include "sim/plan/host_net.h"

namespace quintet::engine {

struct NcclSetting {
  Rank rank{0};
  int ranks_per_gpu = 1;  // the most on one
  HostNet host_net;
  std::string tuner;     // the plugin; empty: there is none
  std::string rules;     // the file that it reads, of this process alone
  std::string profiler;  // likewise
  std::string profile;   // what it adds to; empty: nothing
};

// "NAME=value" each. What `given` has already stays as it is, but for host identities where ranks
// share GPUs, and for whether communicators block (nccl_communicator.h).
std::vector<std::string> nccl_environment(const NcclSetting& setting, const Environment& given);

// These are the places of libquintet_nccl_tuner.so and ..._profiler.so: beside this program, or in
// ../lib/quintet from there; empty: the file is in neither.
std::string tuner_plugin_place();
std::string profiler_plugin_place();

}  // namespace quintet::engine
