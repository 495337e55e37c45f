// What the switches of a network add up (SHARP, SwitchML): edges of traffic to switches that add and
// back.
#pragma once

#include <map>

#include "sim/base/units.h"
#include "sim/ccl/traffic.h"
#include "sim/price/link_sums.h"
#include "sim/price/paths.h"
#include "sim/topology/host_layout.h"

namespace quintet {

// What the members of one local number send is one share of the buffer: the switches add it up, so
// that it crosses each link of its tree once.
class ReducedShares {
 public:
  // The layout must outlive this.
  explicit ReducedShares(const HostLayout& layout) : layout_(layout) {}

  // False: the edge is another's.
  bool take(const TrafficEdge& edge);
  bool empty() const { return shares_.empty(); }

  // Returns the longest way up and down again.
  Seconds load(const Paths& paths, Delivery delivery, LinkSums& uses) const;

 private:
  using BytesPerByte = std::map<DeviceId, double>;  // by slot
  struct Share {
    BytesPerByte up, down;
  };

  static double most(const BytesPerByte& bytes);
  Seconds load(const Share& share, int number, const Paths& paths, Delivery delivery,
               LinkSums& uses) const;
  DeviceId slot_of(int position) const { return layout_.slots[static_cast<std::size_t>(position)]; }

  const HostLayout& layout_;
  std::map<int, Share> shares_;  // by local number
};

}  // namespace quintet
