// One group of a communicator, and the load that it and its siblings put on its links when all of
// them communicate at the same time, as symmetric ranks do.
#pragma once

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "sim/ccl/nccl/communicator_shape.h"
#include "sim/network/link_load.h"
#include "sim/price/footprint.h"
#include "sim/program/groups.h"
#include "sim/topology/host_layout.h"

namespace quintet {

// A link as far as it limits: links that are alike in this are one.
struct LoadedLink {
  double capacity = 0;  // B/s
  double own = 0;       // bytes per byte of this group's communication
  double all = 0;       // of all siblings' together
  bool operator==(const LoadedLink&) const = default;
};

// What is left of the links where each carries so much for one byte of everybody's, at a flow's own
// coefficient of `scale` times that (CommunicationPrices::keep_time); infinite without links.
double share_of(const std::vector<LoadedLink>& links, double kept_bound);
// Likewise where only this group moves.
double alone_of(const std::vector<LoadedLink>& links, double kept_bound);

// Links of the first of the loads that are alike, with what all loads put on them.
std::vector<LoadedLink> loaded_links(const std::vector<std::vector<Usage>>& loads,
                                     const std::vector<LinkShare>& capacities);

class SiblingGroups {
 public:
  // `slots`: of all ranks, as `ranks` are of slots (by device; -1: none). References must outlive
  // this. `alone`: no sibling counts, and of a large group only so much that its shape is known.
  SiblingGroups(const Grid& grid, const Communicator& communicator,
                const std::vector<DeviceId>& slots, const std::vector<std::int32_t>& rank_of_device,
                const Topology& topology, bool alone);

  const HostLayout& layout() const { return layouts_.front(); }
  const CommunicatorShape& shape() const { return shape_; }
  int ranks() const { return static_cast<int>(layout().slots.size()); }

  // A way of doing a kind of collective: the group's own footprint, without its links, and these.
  struct Load {
    Footprint own;
    std::vector<LoadedLink> links;
  };
  const Load& load(const Footprints& footprints, const std::vector<LinkShare>& capacities,
                   CollectiveKind kind, Algorithm algorithm, Delivery delivery);

 private:
  std::vector<HostLayout> layouts_;  // the group's own first
  CommunicatorShape shape_;
  std::map<std::pair<CollectiveKind, Algorithm>, Load> loads_;
};

}  // namespace quintet
