#include <algorithm>
#include <string>

#include "sim/plan/problems/problem_finders.h"

namespace quintet {

namespace {

// The algorithms that do a kind: NCCL 2.28 src/graph/tuning.cc for its own (models.md 1.1), ours
// (halving-doubling, direct, hierarchical) as sim/ccl builds them.
std::vector<Algorithm> algorithms_of(CollectiveKind kind) {
  using enum Algorithm;
  switch (kind) {
    case CollectiveKind::all_reduce:
      return {tree, ring,      collnet_direct,   collnet_chain,
              nvls, nvls_tree, halving_doubling, hierarchical};
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
      return {ring, collnet_direct, nvls, pat, halving_doubling, hierarchical};
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
      return {ring};
    case CollectiveKind::all_to_all:
      return {direct};
  }
  return {};
}

// Only rings and trees speak LL and LL128; ours carry any.
bool simple_only(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::collnet_direct:
    case Algorithm::collnet_chain:
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
    case Algorithm::pat:
      return true;
    case Algorithm::tree:
    case Algorithm::ring:
    case Algorithm::halving_doubling:
    case Algorithm::direct:
    case Algorithm::hierarchical:
      return false;
  }
  return false;
}

bool through_nvswitch(Algorithm algorithm) {
  return algorithm == Algorithm::nvls || algorithm == Algorithm::nvls_tree;
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

void find_rule_problems(const CollectiveRule& rule, const std::string& field,
                        const Topology& topology, Problems& found) {
  if (rule.channels && *rule.channels < 1)
    found.push_back({field + ".channels", "is " + std::to_string(*rule.channels), "use 1 or more"});
  if (rule.axis == Axis::pipeline)
    found.push_back({field + ".axis", "stages send and receive: there is no collective to rule",
                     "name another axis, or leave it out for all"});
  if (!rule.algorithm) return;
  const std::string name(name_of(*rule.algorithm));
  if (rule.kind) {
    const std::vector<Algorithm> able = algorithms_of(*rule.kind);
    if (std::find(able.begin(), able.end(), *rule.algorithm) == able.end())
      found.push_back({field + ".algorithm",
                       name + " does not do " + std::string(name_of(*rule.kind)),
                       "use one of " + names_of(able)});
  }
  if (rule.protocol && *rule.protocol != Protocol::simple && simple_only(*rule.algorithm))
    found.push_back({field + ".protocol",
                     name + " does not speak " + std::string(name_of(*rule.protocol)),
                     "use simple, or algorithm ring or tree"});
  if (through_nvswitch(*rule.algorithm) && !has_nvls(topology))
    found.push_back({field + ".algorithm",
                     name + " needs NVSwitches and GPUs of compute capability 9.0 or later",
                     "use ring or tree"});
}

}  // namespace

void find_ccl_problems(const Ccl& ccl, const Topology& topology, Problems& found) {
  for (std::size_t i = 0; i < ccl.rules.size(); ++i)
    find_rule_problems(ccl.rules[i], "ccl.rules[" + std::to_string(i) + "]", topology, found);
  if (!(ccl.bucket >= Bytes{}))
    found.push_back({"ccl.bucket", "is not a size", "use 0 B (one bucket) or more"});
  if (ccl.overlap_tensor)
    found.push_back({"ccl.overlap_tensor",
                     "tensor collectives in pieces under their GEMM are not modelled yet",
                     "set it to false"});
}

}  // namespace quintet
