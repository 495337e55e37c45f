#include "traces/chakra/node_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <span>
#include <unordered_map>
#include <utility>

namespace quintet::chakra {

namespace {

using Positions = std::unordered_map<std::uint64_t, std::int32_t>;

std::string place(const RankNodes& nodes, std::int32_t index) {
  return fmt::format("{}: node {}", nodes.where, nodes.nodes[static_cast<std::size_t>(index)].id);
}

Result<Positions> positions_of(const RankNodes& nodes) {
  Positions positions;
  positions.reserve(nodes.nodes.size());
  for (std::size_t i = 0; i < nodes.nodes.size(); ++i)
    if (!positions.emplace(nodes.nodes[i].id, static_cast<std::int32_t>(i)).second)
      return Error{place(nodes, static_cast<std::int32_t>(i)),
                   "comes twice; expected each id once: was the file joined from two ranks'?"};
  return positions;
}

// Per node, in the file's order, the nodes that it waits for.
struct Waits {
  std::vector<std::int32_t> begin{0}, on, by_data;
  std::int64_t control_left_out = 0;

  std::span<const std::int32_t> of(std::size_t node) const {
    const auto first = static_cast<std::size_t>(begin[node]);
    return std::span(on).subspan(first, static_cast<std::size_t>(begin[node + 1]) - first);
  }
};

bool has_all_that_control_names(const RankNodes& nodes, const Positions& positions) {
  for (const Node& node : nodes.nodes)
    for (const std::uint64_t id : node.control_after)
      if (!positions.contains(id)) return false;
  return true;
}

std::optional<Error> take_data(Waits& waits, const RankNodes& nodes, std::size_t index,
                               const Positions& positions) {
  for (const std::uint64_t id : nodes.nodes[index].data_after) {
    const auto found = positions.find(id);
    if (found == positions.end())
      return Error{place(nodes, static_cast<std::int32_t>(index)),
                   fmt::format("data_deps name node {}, which the file does not have; write the "
                               "file with all its nodes, or take the dependency out",
                               id)};
    waits.on.push_back(found->second);
  }
  waits.by_data.push_back(static_cast<std::int32_t>(nodes.nodes[index].data_after.size()));
  return {};
}

void take_control(Waits& waits, const Node& node, const Positions& positions) {
  const auto first = static_cast<std::size_t>(waits.begin.back());
  for (const std::uint64_t id : node.control_after) {
    const std::int32_t on = positions.at(id);
    const std::span<const std::int32_t> so_far = std::span(waits.on).subspan(first);
    if (std::find(so_far.begin(), so_far.end(), on) == so_far.end()) waits.on.push_back(on);
  }
}

Result<Waits> waits_of(const RankNodes& nodes, const Positions& positions) {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  const bool control = has_all_that_control_names(nodes, positions);
  Waits waits;
  for (std::size_t i = 0; i < nodes.nodes.size(); ++i) {
    if (auto wrong = take_data(waits, nodes, i, positions)) return *wrong;
    if (control)
      take_control(waits, nodes.nodes[i], positions);
    else
      waits.control_left_out += static_cast<std::int64_t>(nodes.nodes[i].control_after.size());
    if (waits.on.size() > most) return Error{nodes.where, "has more than 2^31 dependencies"};
    waits.begin.push_back(static_cast<std::int32_t>(waits.on.size()));
  }
  return waits;
}

// From any node that is left, back along what is left, comes round in the end.
Error circle(const RankNodes& nodes, const Waits& waits, const std::vector<std::int32_t>& missing) {
  std::int32_t at = 0;
  while (missing[static_cast<std::size_t>(at)] == 0) ++at;
  std::vector<std::int32_t> path;
  std::vector<bool> seen(nodes.nodes.size());
  while (!seen[static_cast<std::size_t>(at)]) {
    seen[static_cast<std::size_t>(at)] = true;
    path.push_back(at);
    for (const std::int32_t on : waits.of(static_cast<std::size_t>(at)))
      if (missing[static_cast<std::size_t>(on)] > 0) at = on;
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), at));
  std::string text;
  constexpr std::size_t told = 6;
  for (std::size_t i = 0; i < std::min(told, path.size()); ++i)
    text +=
        fmt::format("{}{}", i == 0 ? "" : ", ", nodes.nodes[static_cast<std::size_t>(path[i])].id);
  return Error{place(nodes, at),
               fmt::format("waits for itself: each of nodes {}{} waits for the next and the last "
                           "for the first; take one of these dependencies out",
                           text, path.size() > told ? ", ..." : "")};
}

// Kahn's algorithm; of the nodes that are free the first in the file comes first.
Result<std::vector<std::int32_t>> order_of(const RankNodes& nodes, const Waits& waits) {
  const std::size_t count = nodes.nodes.size();
  std::vector<std::int32_t> missing(count), begin(count + 1), order;
  for (const std::int32_t on : waits.on) ++begin[static_cast<std::size_t>(on) + 1];
  for (std::size_t i = 0; i < count; ++i) begin[i + 1] += begin[i];
  std::vector<std::int32_t> next(waits.on.size()), filled(begin.begin(), begin.end() - 1);
  std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> free;
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::int32_t on : waits.of(i))
      next[static_cast<std::size_t>(filled[static_cast<std::size_t>(on)]++)] =
          static_cast<std::int32_t>(i);
    missing[i] = static_cast<std::int32_t>(waits.of(i).size());
    if (missing[i] == 0) free.push(static_cast<std::int32_t>(i));
  }
  order.reserve(count);
  while (!free.empty()) {
    const auto node = static_cast<std::size_t>(free.top());
    order.push_back(free.top());
    free.pop();
    for (auto k = begin[node]; k < begin[node + 1]; ++k)
      if (--missing[static_cast<std::size_t>(next[static_cast<std::size_t>(k)])] == 0)
        free.push(next[static_cast<std::size_t>(k)]);
  }
  if (order.size() < count) return circle(nodes, waits, missing);
  return order;
}

}  // namespace

Result<OrderedNodes> ordered(const RankNodes& nodes) {
  const Result<Positions> positions = positions_of(nodes);
  if (!positions) return positions.error();
  const Result<Waits> waits = waits_of(nodes, *positions);
  if (!waits) return waits.error();
  Result<std::vector<std::int32_t>> order = order_of(nodes, *waits);
  if (!order) return order.error();
  OrderedNodes result{std::move(*order)};
  std::vector<std::int32_t> task(nodes.nodes.size());
  for (std::size_t i = 0; i < task.size(); ++i)
    task[static_cast<std::size_t>(result.order[i])] = static_cast<std::int32_t>(i);
  for (const std::int32_t node : result.order) {
    const auto index = static_cast<std::size_t>(node);
    for (const std::int32_t on : waits->of(index))
      result.after.push_back(task[static_cast<std::size_t>(on)]);
    result.after_begin.push_back(static_cast<std::int32_t>(result.after.size()));
    result.by_data.push_back(waits->by_data[index]);
  }
  result.control_left_out = waits->control_left_out;
  return result;
}

}  // namespace quintet::chakra
