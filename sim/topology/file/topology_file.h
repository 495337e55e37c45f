// topologies/*.json -> Topology. Every field with its unit: topologies/README.md.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/base/result.h"
#include "sim/json/field_change.h"
#include "sim/json/field_description.h"
#include "sim/topology/topology.h"

namespace quintet {

// Built topologies above these are refused before anything is allocated; a fuzzer sets less.
struct TopologyLimits {
  int devices = 1'000'000;  // 16,384 DGX hosts (131,072 GPUs) have half of it
  int links = 4'000'000;    // one direction each
};

// Accepted in a file and as TopologyOptions::hosts.
inline constexpr int most_hosts = 131'072;

struct TopologyOptions {
  std::optional<int> hosts;  // instead of the file's "hosts"; the network is sized anew
  TopologyLimits limits;
  // Names places of the file, where "host.gpu.memory" is a field of the host file that it names.
  FieldChanges changes{};
};

// Refuses unknown keys, bare numbers where a unit is due, rates that are not positive, missing
// sources, more ports than a switch has, a disconnected graph. A file may name a host file beside
// it ("host": "hosts/dgx-h100.json"), and say only how it differs from another ("like":
// "dgx-h100-1024.json").
Result<Topology> read_topology(const std::filesystem::path& file,
                               const TopologyOptions& options = {});
Result<Topology> parse_topology(const std::string& text, const std::string& where,
                                const std::filesystem::path& directory,
                                const TopologyOptions& options = {});

// The file as one JSON object with the changes: what it is like and its host file put in the place
// of their names. What a field is when it is left out is not in it.
Result<std::string> whole_topology_text(const std::filesystem::path& file,
                                        const FieldChanges& changes = {});

// All fields of all families of hosts and networks; which belong to which is said by their meaning
// and in topologies/README.md.
FieldDescription topology_fields();

}  // namespace quintet
