// Several ranks on one GPU: NCCL 2.28 refuses two ranks of one host on one GPU, but takes a host's
// name from NCCL_HOSTID. With a name each, ranks talk through sockets of the loopback interface,
// with NCCL's real kernels (tried with NCCL 2.28.9).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/ids.h"

namespace quintet::engine {

// "NAME=value" each, to be set before the rank's process starts; nothing where a rank has its GPU
// alone.
std::vector<std::string> host_id_environment(Rank rank, int ranks_per_gpu);

// Which times of such a run mean nothing; for whoever prints one.
std::string_view host_id_caveat();

// To the plugins of this build: "NAME=value" each. `rules` is the file that NcclCommunicator
// writes, `profile` and `table` are added to; an empty path leaves its part out.
struct NcclPluginFiles {
  std::string tuner, profiler;  // the shared objects
  std::string rules, table, profile;
};
std::vector<std::string> plugin_environment(const NcclPluginFiles& files);

}  // namespace quintet::engine
