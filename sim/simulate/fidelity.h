// How finely the network is simulated: which implementation stands behind sim/network/fabric.h.
// To add one: a room of sim/network with its FabricRow, its name here, the row in fidelity.cpp.
#pragma once

#include <string_view>

#include "sim/network/fabric.h"

namespace quintet {

enum class Fidelity {
  fluid,               // a communication is one flow, all its phases coupled; max-min sharing
                       // (sim/network/fluid)
  fluid_from_scratch,  // the same, all rates solved anew at every change: slow, to check the first
};

// `fidelity` is one of them; the row lives as long as the program.
const FabricRow& row_of(Fidelity fidelity);

// Empty beyond the last fidelity.
std::string_view name_of(Fidelity fidelity);

}  // namespace quintet
