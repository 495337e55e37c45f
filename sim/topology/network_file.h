// The network object of a topology file: topologies/README.md.
#pragma once

#include "sim/topology/recipe.h"

namespace quintet {

class JsonObject;

// What is wrong stays in `object`.
NetworkRecipe read_network(JsonObject& object);

}  // namespace quintet
