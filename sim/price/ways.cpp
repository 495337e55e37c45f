#include "sim/price/ways.h"

#include <algorithm>

namespace quintet {

const Ways::HostWay& Ways::host_way(DeviceId slot, WireMemory memory, Direction direction) {
  const std::size_t kind =
      (memory == WireMemory::host ? 2u : 0u) + (direction == Direction::from_wire ? 1u : 0u);
  auto& [all, of_device] = host_ways_[kind];
  if (of_device.empty()) of_device.assign(topology_.devices.size(), -1);
  std::int32_t& number = of_device[slot.index()];
  if (number < 0) {
    number = static_cast<std::int32_t>(all.size());
    all.push_back(legs_of(host_path(topology_, slot, memory, direction), direction));
  }
  return all[static_cast<std::size_t>(number)];
}

Ways::HostWay Ways::legs_of(const HostPath& host, Direction direction) const {
  const std::vector<DeviceId>& points = host.waypoints;
  HostWay all;
  all.latency = host.latency;
  for (std::size_t index = 1; index < points.size(); ++index)
    all.legs.push_back(points[index - 1] == points[index]
                           ? Route{}
                           : router_.route(points[index - 1], points[index], 1));
  if (!points.empty()) all.nic = direction == Direction::to_wire ? points.back() : points.front();
  return all;
}

const Route& Ways::known(Routes& routes, DeviceId from, DeviceId to, int queue_pairs) const {
  const auto ends = static_cast<std::uint64_t>(from.index()) << 32 | to.index();
  const auto [route, fresh] = routes.try_emplace(ends);
  if (fresh && from != to) route->second = router_.route(from, to, queue_pairs);
  return route->second;
}

const Route& Ways::inside(DeviceId from, DeviceId to) {
  return known(inside_, from, to, 1);
}

const Route& Ways::wire(DeviceId from, DeviceId to) {
  return known(wires_, from, to, queue_pairs_);
}

Ways& KnownWays::of(const Network& network, int queue_pairs) {
  constexpr std::size_t most = 4;  // each may have as many routes as the machine has pairs of NICs
  const auto found = std::find_if(ways_.begin(), ways_.end(), [&](const Ways& each) {
    return each.are_of(network, queue_pairs);
  });
  if (found != ways_.end()) {
    ways_.splice(ways_.begin(), ways_, found);
    return ways_.front();
  }
  if (ways_.size() == most) ways_.pop_back();
  return ways_.emplace_front(topology_, network, queue_pairs);
}

std::unique_ptr<KnownWays> WaysPool::take() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<KnownWays>(topology_);
  std::unique_ptr<KnownWays> ways = std::move(idle_.back());
  idle_.pop_back();
  return ways;
}

void WaysPool::give_back(std::unique_ptr<KnownWays> ways) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(ways));
}

}  // namespace quintet
