#include "sim/simulate/walk/link_traffic.h"

#include <algorithm>
#include <map>

namespace quintet {

namespace {

LinkTraffic::Kind kind_of(const FoldedPrice& folded, std::optional<Axis> axis) {
  std::map<std::int32_t, double> sums;
  for (const PhaseLoad& phase : folded.price.phases)
    for (const Usage& use : phase.uses) sums[use.link] += use.per_unit;
  for (const SlackUse& use : folded.slack) sums[use.link] += use.per_unit;
  LinkTraffic::Kind kind{axis, {}};
  for (const auto& [link, per_byte] : sums) kind.uses.push_back({link, per_byte});
  return kind;
}

// The share of it that moved after `from`, until `to`.
double share_between(const LinkTraffic::Moved& moved, Instant from, Instant to) {
  if (moved.end <= moved.moving) {
    const bool at_begin = moved.moving == Instant{} && from == Instant{};
    return (moved.moving > from || at_begin) && moved.moving <= to ? 1.0 : 0.0;
  }
  const Duration inside = std::min(moved.end, to) - std::max(moved.moving, from);
  if (inside.picoseconds <= 0) return 0.0;
  return static_cast<double>(inside.picoseconds) /
         static_cast<double>((moved.end - moved.moving).picoseconds);
}

// Per kind, the sizes of what moved meanwhile.
std::vector<double> sizes_between(const LinkTraffic& traffic, Instant from, Instant to) {
  std::vector<double> sizes(traffic.kinds.size(), 0.0);
  for (const LinkTraffic::Moved& moved : traffic.moved)
    if (const double share = share_between(moved, from, to); share > 0)
      sizes[static_cast<std::size_t>(moved.kind)] += share * moved.bytes;
  return sizes;
}

}  // namespace

LinkTraffic link_traffic(const FoldedWorld& world, std::span<const NotedMove> noted,
                         std::span<const std::optional<Axis>> axes, const RepeatedPart& repeated) {
  LinkTraffic traffic;
  traffic.loads = world.links.size();
  std::vector<std::int32_t> kinds(world.prices.size(), -1);
  const auto add = [&](const NotedMove& move, Duration later) {
    std::int32_t& kind = kinds[static_cast<std::size_t>(move.price)];
    if (kind < 0) {
      kind = static_cast<std::int32_t>(traffic.kinds.size());
      const auto price = static_cast<std::size_t>(move.price);
      traffic.kinds.push_back(kind_of(world.prices[price], axes[price]));
    }
    traffic.moved.push_back({kind, move.bytes, move.moving + later, move.end + later});
  };
  const Duration period = repeated.to - repeated.from;
  for (const NotedMove& move : noted) {
    const bool again = repeated.times > 0 && move.began > repeated.from;
    const bool within = again && move.began <= repeated.to;
    for (int time = 0; within && time <= repeated.times; ++time)
      add(move, {time * period.picoseconds});
    if (!within) add(move, again ? repeated.left_out() : Duration{});
  }
  return traffic;
}

void drop_loads_from(LinkTraffic& traffic, std::size_t loads) {
  traffic.loads = std::min(traffic.loads, loads);
  for (LinkTraffic::Kind& kind : traffic.kinds)
    std::erase_if(kind.uses, [&](const LinkTraffic::Use& use) {
      return static_cast<std::size_t>(use.load) >= loads;
    });
}

std::vector<double> bytes_between(const LinkTraffic& traffic, Instant from, Instant to) {
  std::vector<double> bytes(traffic.loads, 0.0);
  const std::vector<double> sizes = sizes_between(traffic, from, to);
  for (std::size_t kind = 0; kind < sizes.size(); ++kind) {
    if (sizes[kind] == 0.0) continue;
    for (const LinkTraffic::Use& use : traffic.kinds[kind].uses)
      bytes[static_cast<std::size_t>(use.load)] += use.per_byte * sizes[kind];
  }
  return bytes;
}

std::vector<AxisBytes> bytes_by_axis(const LinkTraffic& traffic, std::int32_t load, Instant from,
                                     Instant to) {
  std::map<std::optional<Axis>, double> sums;
  const std::vector<double> sizes = sizes_between(traffic, from, to);
  for (std::size_t kind = 0; kind < sizes.size(); ++kind) {
    const auto& uses = traffic.kinds[kind].uses;
    const auto use =
        std::lower_bound(uses.begin(), uses.end(), load,
                         [](const auto& each, std::int32_t wanted) { return each.load < wanted; });
    if (sizes[kind] > 0 && use != uses.end() && use->load == load)
      sums[traffic.kinds[kind].axis] += use->per_byte * sizes[kind];
  }
  std::vector<AxisBytes> all;
  for (const auto& [axis, bytes] : sums) all.push_back({axis, bytes});
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& one, const auto& other) { return one.bytes > other.bytes; });
  return all;
}

}  // namespace quintet
