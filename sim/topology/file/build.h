// Recipe -> Topology: sizes first, then the graph, then the checks, then frozen.
#pragma once

#include <string>

#include "sim/base/result.h"
#include "sim/topology/file/topology_file.h"
#include "sim/topology/recipe/recipe.h"

namespace quintet {

// Errors: `where` names the field inside `file`.
Result<Topology> build_topology(const TopologyRecipe& recipe, const std::string& file,
                                const TopologyLimits& limits = {});

}  // namespace quintet
