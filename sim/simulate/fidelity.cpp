#include "sim/simulate/fidelity.h"

#include <array>
#include <cstddef>

#include "sim/network/fluid/fluid_fabric.h"

namespace quintet {

namespace {

// In the order of the enumerators.
constexpr std::array rows{&fabrics::fluid, &fabrics::fluid_from_scratch};

}  // namespace

const FabricRow& row_of(Fidelity fidelity) {
  return *rows.at(static_cast<std::size_t>(fidelity));
}

std::string_view name_of(Fidelity fidelity) {
  return static_cast<std::size_t>(fidelity) < rows.size() ? row_of(fidelity).name : "";
}

}  // namespace quintet
