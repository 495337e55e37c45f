#include "sim/search/placement.h"

namespace quintet {

std::string_view name_of(Placement placement) {
  switch (placement) {
    case Placement::block:
      return "block";
    case Placement::cyclic:
      return "cyclic";
  }
  return {};
}

std::vector<int> slots_of(Placement placement, const MachineSize& machine) {
  std::vector<int> slots;
  switch (placement) {
    case Placement::block:
      return slots;
    case Placement::cyclic:
      for (int rank = 0; rank < machine.ranks; ++rank)
        slots.push_back(rank % machine.hosts * machine.ranks_per_host + rank / machine.hosts);
      return slots;
  }
  return slots;
}

}  // namespace quintet
