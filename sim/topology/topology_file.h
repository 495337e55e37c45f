// topologies/*.json -> Topology. Every field with its unit: topologies/README.md.
#pragma once

#include <filesystem>
#include <string>

#include "sim/result.h"
#include "sim/topology/topology.h"

namespace quintet {

// Refuses unknown keys, bare numbers where a unit is due, rates that are not positive, a
// disconnected graph. A file may name a host file beside it ("host": "hosts/dgx-h100.json").
Result<Topology> read_topology(const std::filesystem::path& file);
Result<Topology> parse_topology(const std::string& text, const std::string& where,
                                const std::filesystem::path& directory);

}  // namespace quintet
