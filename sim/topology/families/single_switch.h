// All NICs on one switch, made without a file.
#pragma once

#include <memory>

#include "sim/topology/recipe/recipe.h"

namespace quintet {

// The rate of `host_link` is each NIC's own.
std::unique_ptr<NetworkRecipe> one_switch(SwitchRecipe all, WireRecipe host_link);

}  // namespace quintet
