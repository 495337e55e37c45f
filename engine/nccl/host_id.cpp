#include "engine/nccl/host_id.h"

#include <fmt/format.h>

namespace quintet::engine {

namespace {

void add(std::vector<std::string>& variables, const std::string& name, const std::string& value) {
  if (!value.empty()) variables.push_back(name + "=" + value);
}

}  // namespace

std::vector<std::string> host_id_environment(Rank rank, int ranks_per_gpu) {
  if (ranks_per_gpu <= 1) return {};
  return {fmt::format("NCCL_HOSTID=quintet-rank-{}", rank.value), "NCCL_NET=Socket",
          "NCCL_SOCKET_IFNAME=lo", "NCCL_IB_DISABLE=1",
          // All ranks' kernels must be on the GPU at once, or they wait for each other for ever.
          "NCCL_MAX_CTAS=2"};
}

std::string_view host_id_caveat() {
  return "Several ranks share a GPU and talk through the loopback interface: losses and the order "
         "of what they do hold, but no time of a collective, a message, a step or of a kernel "
         "beside them says anything about GPUs of their own.";
}

std::vector<std::string> plugin_environment(const NcclPluginFiles& files) {
  std::vector<std::string> variables;
  add(variables, "NCCL_TUNER_PLUGIN", files.tuner);
  add(variables, "NCCL_PROFILER_PLUGIN", files.profiler);
  add(variables, "QUINTET_NCCL_RULES", files.rules);
  add(variables, "QUINTET_NCCL_TABLE", files.table);
  add(variables, "QUINTET_NCCL_PROFILE", files.profile);
  return variables;
}

}  // namespace quintet::engine
