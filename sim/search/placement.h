// Ways to put ranks on hosts that have names, as Slurm's --distribution has (srun(1)). Pure.
#pragma once

#include <string_view>
#include <vector>

#include "sim/search/space.h"

namespace quintet {

enum class Placement {
  block,   // a host is filled before the next: rank i in slot i
  cyclic,  // neighbours in rank are on neighbouring hosts, as cards are dealt
};
std::string_view name_of(Placement placement);

// Plan::intra_inter.placement; empty: rank i in slot i.
std::vector<int> slots_of(Placement placement, const MachineSize& machine);

}  // namespace quintet
