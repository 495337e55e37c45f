// Which hosts each job takes, by rules that schedulers know.
//
// Jobs are placed in the order in which they arrive, by how long each would take alone: a job takes
// hosts that are free then, or waits for the earliest moment at which enough are.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/jobs/job.h"

namespace quintet {

enum class PlacementRule {
  first_fit,  // the first hosts in the machine's order that have room
  packed,     // below as few leaves as can be, the fullest first
  random,     // any
  spread,     // below as many leaves as can be, in turn
};
std::string_view name_of(PlacementRule rule);

struct PlacementWish {
  PlacementRule rule = PlacementRule::first_fit;
  std::uint64_t seed = 1;               // of `random`
  std::vector<std::size_t> order = {};  // of jobs that arrive together; empty: the file's
};

// Per host the number of its leaf: hosts whose first NIC hangs on one switch are below one leaf.
std::vector<int> leaf_of_hosts(const Topology& topology);

// Per job its slots; jobs whose file names hosts have those. `alone`: per job, how long all of its
// steps would take.
std::vector<std::vector<int>> placed(const JobsOnMachine& machine,
                                     const std::vector<Seconds>& alone, const PlacementWish& wish);

}  // namespace quintet
