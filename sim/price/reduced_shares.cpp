#include "sim/price/reduced_shares.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "sim/host_net/host_path.h"
#include "sim/intra_inter/rails.h"
#include "sim/network/route/reduction_tree.h"

namespace quintet {

bool ReducedShares::take(const TrafficEdge& edge) {
  const bool up = edge.to == network_reducer;
  if (!up && edge.from != network_reducer) return false;
  const int member = up ? edge.from : edge.to;
  Share& share = shares_[seat_at(layout_, member).local];
  (up ? share.up : share.down)[slot_of(member)] = edge.bytes_per_byte;
  return true;
}

Seconds ReducedShares::load(const Paths& paths, Delivery delivery, LinkSums& uses) const {
  Seconds longest;
  for (const auto& [number, share] : shares_)
    longest = std::max(longest, load(share, number, paths, delivery, uses));
  return longest;
}

Seconds ReducedShares::load(const Share& share, int number, const Paths& paths, Delivery delivery,
                            LinkSums& uses) const {
  std::set<DeviceId> nics;
  Seconds out, in;
  for (const auto& [slot, bytes] : share.up) {
    const Route way = paths.to_nic(slot, delivery);
    uses.add(way, bytes);
    out = std::max(out, way.latency);
    nics.insert(nic_of(paths.topology(), slot));
  }
  for (const auto& [slot, bytes] : share.down) {
    const Route way = paths.from_nic(slot, delivery);
    uses.add(way, bytes);
    in = std::max(in, way.latency);
  }
  const std::vector<DeviceId> ends(nics.begin(), nics.end());
  const std::vector<LinkId> tree =
      reduction_tree(paths.topology(), ends, static_cast<std::uint64_t>(number));
  for (const LinkId link : tree) {
    uses.add(link, most(share.up));
    uses.add(reverse_of(link), most(share.down));
  }
  return out + in + 2.0 * depth_of(paths.topology(), tree);
}

double ReducedShares::most(const BytesPerByte& bytes) {
  double largest = 0.0;
  for (const auto& [slot, each] : bytes) largest = std::max(largest, each);
  return largest;
}

}  // namespace quintet
