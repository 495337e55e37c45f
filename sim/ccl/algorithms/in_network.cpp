// in-network: the network's switches add what hosts send and return the sum (SwitchML, NSDI'21;
// SHARP, COM-HPC 2016). Each rank heads its share, which the others of its host hand it by a ring.
//
//      host 0: ring scatters --> head l --.                    .--> head l --> ring gathers
//      host 1: ring scatters --> head l --+-- switches add  ---+--> head l --> ring gathers
//
// A NIC sends each byte of its share once and gets it once, however many hosts there are; a ring
// sends 2 (n - 1) / n of them. Ranks without such switches do not execute it.
#include "sim/ccl/algorithms/collective_algorithm.h"
#include "sim/ccl/algorithms/edge_sum.h"

namespace quintet {

namespace {

std::vector<TrafficPhase> switch_traffic(CollectiveKind kind, const HostLayout& layout) {
  const int per_host = ranks_per_host(layout);
  EdgeSum sum;
  add_rings_inside(sum, layout);
  for (const std::vector<int>& members : layout.hosts)
    for (const int head : members)
      if (layout.hosts.size() > 1)
        add_through_network(sum, kind, head, 1.0 / per_host, rank_count(layout));
  const int through = layout.hosts.size() > 1 ? 2 : 0;
  return {sum.phase(kind, through + 2 * (per_host - 1))};
}

}  // namespace

extern constinit const CollectiveAlgorithm in_network_row{
    .algorithm = Algorithm::in_network,
    .kinds = {CollectiveKind::all_reduce},
    .hosts = uniform,
    .through_network = true,
    .crossing = CollectiveAlgorithm::Crossing::by_levels,
    .traffic = switch_traffic,
};

}  // namespace quintet
