// What communications take on the machine of a model, by the functions that price the walk's
// (sim/price), for one group of each communicator: its siblings stand in its share of the links.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/analytic/one_of_each.h"
#include "sim/analytic/piece_key.h"
#include "sim/analytic/priced_move.h"
#include "sim/analytic/sibling_groups.h"
#include "sim/host_net/processors.h"
#include "sim/price/communication_price.h"
#include "sim/price/footprint.h"
#include "sim/price/paths.h"
#include "sim/price/used_curves.h"

namespace quintet {

// How a plan uses the machine: everything about communication but who talks to whom.
struct MachineUse {
  MachineUse(const Topology& topology, const CostTable& costs, const Plan& plan,
             const std::vector<DeviceId>& places);

  Plan plan;                                 // of which only layers 2 to 5 count
  std::vector<DeviceId> slots;               // of each rank
  std::vector<std::int32_t> rank_of_device;  // -1: none
  CorePools cores;
  quintet::Ways legs;  // through the machine, found once
  Paths paths;
  std::vector<LinkShare> links;
  std::vector<bool> trunks;  // of these, links between switches
  Footprints footprints;
  CommunicationPrices prices;
  // Notes of curves that nobody reads here; what it knows of ways through the network is kept.
  UsedCurves& curves(const Topology& topology);
  std::size_t number = 0;  // among the uses of a machine
  std::optional<UsedCurves> noted;
};

class CommunicationPieces {
 public:
  // References must outlive this.
  CommunicationPieces(const Topology& topology, const CostTable& costs);

  // What concerns plans that agree in layers 2 to 5 but for rules and sizes.
  MachineUse& use_of(const Plan& plan);

  // Groups of a communicator on a grid of ranks.
  SiblingGroups& groups(MachineUse& use, const Grid& grid, const Communicator& communicator);

  PricedMove collective(MachineUse& use, SiblingGroups& groups, const Ccl& ccl,
                        const HostNet& host_net, Axis axis, const Collective& asked);

  // Between stages `from` and `to`: of the pair of ranks that takes longest.
  PricedMove message(MachineUse& use, const Grid& grid, const HostNet& host_net, int from, int to,
                     Bytes size);

  int ranks_per_host() const { return ranks_per_host_; }
  const Topology& topology() const { return topology_; }
  const CostTable& costs() const { return costs_; }

 private:
  // A message's way, and what is left of it.
  struct Way {
    DeviceId from, to;
    MessageWay way;
  };
  struct Ways {
    std::vector<Way> kinds;  // that take unequally long
    const SharedLinks* links = nullptr;
  };
  const Ways& ways(MachineUse& use, const Grid& grid, const HostNet& host_net, int from, int to);
  SiblingGroups& groups_along(MachineUse& use, int stride, int ranks);
  Ways found_ways(MachineUse& use, const Grid& grid, Delivery delivery, int from, int to);

  const Topology& topology_;
  const CostTable& costs_;
  std::vector<DeviceId> places_;
  int ranks_per_host_ = 1;
  std::vector<std::unique_ptr<MachineUse>> uses_;
  MachineUse* last_ = nullptr;  // that was asked for
  Pieces<std::unique_ptr<SiblingGroups>> groups_;
  Pieces<PricedMove> moves_;
  Pieces<std::unique_ptr<Ways>> ways_;
  Pieces<PricedMove> messages_;
  OneOfEach<SharedLinks, SharedLinksHash> unlike_links_;
};

}  // namespace quintet
