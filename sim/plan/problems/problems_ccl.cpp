#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/plan/problems/problem_finders.h"

namespace quintet {

namespace {

std::vector<Algorithm> algorithms_of(CollectiveKind kind) {
  std::vector<Algorithm> able;
  for (const Algorithm algorithm : all_algorithms)
    if (row_of(algorithm).kinds.contains(kind)) able.push_back(algorithm);
  return able;
}

// Ours carry any protocol.
bool simple_only(const CollectiveAlgorithm& row) {
  return row.nccl != nullptr && row.nccl->protocols == NcclCost::Protocols::simple_alone;
}

// NCCL's that speak every protocol.
std::vector<Algorithm> polyglots_of(std::optional<CollectiveKind> kind) {
  std::vector<Algorithm> able;
  for (const Algorithm algorithm : all_algorithms) {
    const CollectiveAlgorithm& row = row_of(algorithm);
    if (row.nccl != nullptr && !simple_only(row) && (!kind || row.kinds.contains(*kind)))
      able.push_back(algorithm);
  }
  return able;
}

std::string names_of(const std::vector<Algorithm>& algorithms) {
  std::string names;
  for (const Algorithm algorithm : algorithms)
    names += (names.empty() ? "" : ", ") + std::string(name_of(algorithm));
  return names;
}

// NVLink SHARP needs an NVSwitch and sm_90 (NCCL 2.28 src/transport/nvls.cc).
bool has_nvls(const Topology& topology) {
  const bool nvswitch =
      std::any_of(topology.devices.begin(), topology.devices.end(),
                  [](const Device& device) { return device.kind == DeviceKind::nvswitch; });
  return nvswitch && std::all_of(topology.gpu_specs.begin(), topology.gpu_specs.end(),
                                 [](const GpuSpec& gpu) { return gpu.sm_version >= 90; });
}

// Of our own that need more than ranks; NCCL leaves its own alone where it cannot do them.
void find_machine_problems(const CollectiveAlgorithm& row, const std::string& field,
                           const Topology& topology, Problems& found) {
  const std::string name(name_of(row.algorithm));
  const bool gpus = std::any_of(topology.gpu_spec_of_host.begin(), topology.gpu_spec_of_host.end(),
                                [](int spec) { return spec >= 0; });
  const bool servers = std::any_of(topology.hosts.begin(), topology.hosts.end(),
                                   [](const Host& host) { return host.gpus.empty(); });
  const bool ours = row.nccl == nullptr && (row.through_network || row.on_servers);
  if (ours && !gpus)
    found.push_back({field,
                     name + " is predicted for GPUs only; ranks without GPUs do not execute it",
                     "use ring"});
  if (ours && row.through_network && !topology.network.reduces)
    found.push_back({field, name + " needs a network whose switches add what passes through them",
                     "use ring, or a machine with network.in_network_reduction"});
  if (row.on_servers && gpus && !servers)
    found.push_back(
        {field, name + " needs hosts without places for ranks that add, and the machine has none",
         "use ring, or a machine with such hosts (host_groups; cpu hosts of 0 slots)"});
}

void find_rule_problems(const CollectiveRule& rule, const std::string& field,
                        const Topology& topology, Problems& found) {
  if (rule.channels && *rule.channels < 1)
    found.push_back({field + ".channels", fmt::format("is {}", *rule.channels), "use 1 or more"});
  if (rule.axis == Axis::pipeline)
    found.push_back({field + ".axis", "stages send and receive: there is no collective to rule",
                     "name another axis, or leave it out for all"});
  if (!rule.algorithm) return;
  const CollectiveAlgorithm& row = row_of(*rule.algorithm);
  const std::string name(name_of(*rule.algorithm));
  if (rule.kind && !row.kinds.contains(*rule.kind))
    found.push_back({field + ".algorithm",
                     name + " does not do " + std::string(name_of(*rule.kind)),
                     "use one of " + names_of(algorithms_of(*rule.kind))});
  if (rule.protocol && *rule.protocol != Protocol::simple && simple_only(row))
    found.push_back({field + ".protocol",
                     name + " does not speak " + std::string(name_of(*rule.protocol)),
                     "use simple, or one of " + names_of(polyglots_of(rule.kind))});
  find_machine_problems(row, field + ".algorithm", topology, found);
  if (row.through_nvswitch && !has_nvls(topology))
    found.push_back({field + ".algorithm",
                     name + " needs NVSwitches and GPUs of compute capability 9.0 or later",
                     "use ring or tree"});
}

}  // namespace

void find_ccl_problems(const Ccl& ccl, const Topology& topology, Problems& found) {
  for (std::size_t i = 0; i < ccl.rules.size(); ++i)
    find_rule_problems(ccl.rules[i], fmt::format("ccl.rules[{}]", i), topology, found);
  if (!(ccl.bucket >= Bytes{}))
    found.push_back({"ccl.bucket", "is not a size", "use 0 B (one bucket) or more"});
  if (ccl.overlap_tensor)
    found.push_back({"ccl.overlap_tensor",
                     "tensor collectives in pieces under their GEMM are not modelled yet",
                     "set it to false"});
}

}  // namespace quintet
