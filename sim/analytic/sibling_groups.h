// The groups of a communicator, one of which stands for all, and the load that they put on links
// when all of them communicate at the same time, as symmetric ranks do.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "sim/ccl/nccl/communicator_shape.h"
#include "sim/network/link_load.h"
#include "sim/price/footprint.h"
#include "sim/program/groups.h"
#include "sim/topology/host_layout.h"

namespace quintet {

// A link as far as it limits one of several like communications.
struct LoadedLink {
  double capacity = 0;  // B/s
  double own = 0;       // bytes per byte of the communication that loads it most
  double all = 0;       // of all together
  bool operator==(const LoadedLink&) const = default;
};

// What all of them together put on the links that they use, in order of link.
struct LinkTotal {
  std::int32_t link = 0;
  double per_byte = 0;  // bytes for each byte of everybody's
  double capacity = 0;  // B/s
  bool operator==(const LinkTotal&) const = default;
};

// Communications of one kind that go on at the same time: collectives of all groups, or messages of
// all ranks of a stage.
class SharedLinks {
 public:
  SharedLinks() = default;
  // `loads`: of each of them. `trunks`: links between switches, where hashes may tell them apart.
  SharedLinks(const std::vector<std::vector<Usage>>& loads,
              const std::vector<LinkShare>& capacities, const std::vector<bool>& trunks);

  // B/s that the slowest of them gets; infinite without links. `kept_bound`: that each reaches
  // alone whatever its links say (CommunicationPrices::keep_time); 0: none.
  double share(double kept_bound) const;
  // Of one that has all links to itself: what none is faster than.
  double alone(double kept_bound) const;
  const std::vector<LinkTotal>& totals() const { return totals_; }
  bool operator==(const SharedLinks&) const = default;

 private:
  std::vector<LoadedLink> limits_;  // those that no other one limits more
  std::vector<LinkTotal> totals_;
  double alone_ = 0;
};

struct SharedLinksHash {
  std::size_t operator()(const SharedLinks& links) const;
};

class SiblingGroups {
 public:
  // `slots`: of all ranks, as `rank_of_device` has ranks of slots (-1: none). References must
  // outlive this. `alone`: no sibling counts, and of a large group only so much that its shape is
  // known.
  SiblingGroups(const Grid& grid, const Communicator& communicator,
                const std::vector<DeviceId>& slots, const std::vector<std::int32_t>& rank_of_device,
                const Topology& topology, bool alone);

  // Loads are those of smaller groups, which are the beginnings of these: what is further on is
  // like them. Must outlive this.
  void load_like(SiblingGroups& few) { few_ = &few; }

  const HostLayout& layout() const { return layouts_.front(); }
  const CommunicatorShape& shape() const { return shape_; }

  // A way of doing a kind of collective: the group's own footprint, without its links, and what all
  // groups share.
  struct Load {
    Footprint own;
    SharedLinks links;
  };
  const Load& load(Footprints& footprints, const std::vector<LinkShare>& capacities,
                   const std::vector<bool>& trunks, CollectiveKind kind, Algorithm algorithm,
                   Delivery delivery);

 private:
  std::vector<HostLayout> layouts_;  // the group's own first
  CommunicatorShape shape_;
  SiblingGroups* few_ = nullptr;  // that stand for these
  std::map<std::tuple<CollectiveKind, Algorithm, Delivery>, Load> loads_;
};

}  // namespace quintet
