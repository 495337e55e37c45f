#include "sim/simulate/fidelity.h"

#include <cassert>
#include <utility>

namespace quintet {

std::unique_ptr<Fabric> make_fabric(Fidelity fidelity, Solver solver, EventQueue& events,
                                    std::vector<LinkShare> links) {
  switch (fidelity) {
    case Fidelity::fluid:
      return std::make_unique<FluidFabric>(events, std::move(links), solver);
  }
  assert(false);
  return nullptr;
}

}  // namespace quintet
