// Devices and links as the file lists them.
#pragma once

#include <optional>

#include "sim/base/result.h"
#include "sim/topology/device_graph.h"
#include "sim/topology/recipe.h"

namespace quintet {

std::optional<Error> add_listed(DeviceGraph& graph, const NetworkRecipe& network,
                                Topology& topology);

}  // namespace quintet
