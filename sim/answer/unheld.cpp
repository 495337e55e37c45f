#include "sim/answer/unheld.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "sim/intra_inter/placement.h"
#include "sim/program/groups.h"

namespace quintet {

namespace {

using Way = std::pair<HostId, HostId>;

// Between hosts of stages that follow each other: also from the last to the first, where stages
// have several pieces.
std::set<Way> ways_between_stages(const Plan& plan, const Topology& topology) {
  const Parallelism& parallelism = plan.parallelism;
  std::set<Way> ways;
  if (parallelism.pipeline < 2) return ways;
  Grid grid;
  for (const Axis axis : parallelism.order) grid.axes.push_back({axis, degree(parallelism, axis)});
  const std::vector<DeviceId> slots =
      slots_of_ranks(topology, plan.intra_inter.placement, world_size(grid));
  const auto host_of = [&](Rank rank) { return topology.device(slots[rank.index()]).host; };
  for (std::size_t index = 0; index < slots.size(); ++index) {
    const Rank rank = id_at<Rank>(index);
    const bool last = coordinate(grid, rank, Axis::pipeline) + 1 == parallelism.pipeline;
    if (last && parallelism.virtual_stages < 2) continue;
    const HostId from = host_of(rank), to = host_of(neighbour(grid, rank, Axis::pipeline, 1));
    ways.insert({from, to});
    ways.insert({to, from});
  }
  return ways;
}

}  // namespace

std::vector<std::string> remarks_on_held_sends(const Plan& plan, const Topology& topology) {
  std::vector<std::string> remarks;
  if (topology.held_sends.empty()) return remarks;
  const std::set<Way> ways = ways_between_stages(plan, topology);
  for (const HeldSend& held : topology.held_sends)
    if (!ways.contains({held.from, held.to}))
      remarks.push_back(fmt::format(
          "--hold from {} to {} changes nothing: it is of messages between pipeline stages, and "
          "this plan has none that way; --delay makes links late for collectives, too",
          topology.host(held.from).name, topology.host(held.to).name));
  return remarks;
}

}  // namespace quintet
