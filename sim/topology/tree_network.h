// Switches and cables of a tree (single switch, fat tree, rail-optimised) for hosts that are
// already in the graph.
#pragma once

#include "sim/topology/device_graph.h"
#include "sim/topology/recipe.h"
#include "sim/topology/tree.h"

namespace quintet {

// Sets the topology's network shape and power as well.
void add_tree(DeviceGraph& graph, const TopologyRecipe& recipe, const TreeSize& size,
              Topology& topology);

}  // namespace quintet
