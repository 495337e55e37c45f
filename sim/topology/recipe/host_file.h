// The host object of a topology file, or a host file of its own: topologies/README.md.
#pragma once

#include "sim/topology/recipe/recipe.h"

namespace quintet {

class JsonObject;

// What is wrong stays in `object`.
HostRecipe read_host(JsonObject& object);

}  // namespace quintet
