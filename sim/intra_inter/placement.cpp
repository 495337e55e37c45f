#include "sim/intra_inter/placement.h"

namespace quintet {

std::vector<DeviceId> slots_of_ranks(const Topology& topology, const std::vector<int>& placement,
                                     int ranks) {
  const std::vector<DeviceId> slots = rank_slots(topology);
  std::vector<DeviceId> placed;
  for (int rank = 0; rank < ranks; ++rank) {
    const int slot = placement.empty() ? rank : placement[static_cast<std::size_t>(rank)];
    placed.push_back(slots[static_cast<std::size_t>(slot)]);
  }
  return placed;
}

}  // namespace quintet
