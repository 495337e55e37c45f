#include "engine/gpu_backends/nccl_environment.h"

#include <fmt/format.h>

#include <filesystem>

#include "engine/nccl/host_id.h"
#include "sim/base/own_program.h"
#include "sim/plan/delivery.h"

namespace quintet::engine {

namespace {

std::string name_in(const std::string& variable) {
  return variable.substr(0, variable.find('='));
}

std::string place_of(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code wrong;
  const fs::path folder = own_program().parent_path();
  for (const fs::path& place : {folder / name, folder / "../lib/quintet" / name})
    if (fs::exists(place, wrong)) return place.lexically_normal().string();
  return "";
}

bool must_be(const std::string& variable) {
  return name_in(variable) == "NCCL_HOSTID" || name_in(variable) == "NCCL_COMM_BLOCKING";
}

}  // namespace

std::vector<std::string> nccl_environment(const NcclSetting& setting, const Environment& given) {
  std::vector<std::string> all = host_id_environment(setting.rank, setting.ranks_per_gpu);
  const DeliveryRow& delivery = row_of(setting.host_net.delivery);
  all.push_back("NCCL_COMM_BLOCKING=1");
  // All connections, and the memory that they take, at the start: not in the middle of a step,
  // where the host would wait for ranks that are elsewhere in theirs.
  all.push_back("NCCL_RUNTIME_CONNECT=0");
  // GPUDirect RDMA only where NIC and GPU are one: nowhere.
  if (delivery.driver == Driver::kernels && delivery.memory == WireMemory::host)
    all.push_back("NCCL_NET_GDR_LEVEL=LOC");
  if (setting.host_net.queue_pairs != HostNet{}.queue_pairs)
    all.push_back(fmt::format("NCCL_IB_QPS_PER_CONNECTION={}", setting.host_net.queue_pairs));
  NcclPluginFiles plugins;
  plugins.tuner = setting.tuner;
  if (!setting.tuner.empty()) plugins.rules = setting.rules;
  if (!setting.profile.empty() && !setting.profiler.empty()) {
    plugins.profiler = setting.profiler;
    plugins.profile = setting.profile;
  }
  for (std::string& variable : plugin_environment(plugins)) all.push_back(std::move(variable));
  std::erase_if(all, [&](const std::string& variable) {
    return !must_be(variable) && given(name_in(variable)).has_value();
  });
  return all;
}

std::string tuner_plugin_place() {
  return place_of("libquintet_nccl_tuner.so");
}

std::string profiler_plugin_place() {
  return place_of("libquintet_nccl_profiler.so");
}

}  // namespace quintet::engine
