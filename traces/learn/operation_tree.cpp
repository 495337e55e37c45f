#include "traces/learn/operation_tree.h"

#include <vector>

namespace quintet {

namespace {

std::int32_t found(const auto& map, auto key) {
  const auto place = map.find(key);
  return place == map.end() ? -1 : place->second;
}

}  // namespace

OperationTree::OperationTree(const RankTrace& trace) {
  std::vector<std::int32_t> open;  // of this row, each within the one before it
  std::int32_t row = -1;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    const auto number = static_cast<std::int32_t>(i);
    if (event.row != row) open.clear();
    row = event.row;
    while (!open.empty() &&
           trace.events[static_cast<std::size_t>(open.back())].end() <= event.start)
      open.pop_back();
    const std::int32_t inside = open.empty() ? -1 : open.back();
    if (event.kind == EventKind::launch && event.correlation >= 0)
      by_correlation_.emplace(event.correlation, inside);
    if (event.kind != EventKind::operation && event.kind != EventKind::annotation) continue;
    parent_.emplace(number, inside);
    if (event.kind == EventKind::operation && event.external >= 0)
      by_external_.emplace(event.external, number);
    open.push_back(number);
  }
}

std::int32_t OperationTree::parent_of(std::int32_t event) const {
  return found(parent_, event);
}

std::int32_t OperationTree::asked_by(const TraceEvent& kernel) const {
  const std::int32_t by_number = kernel.external >= 0 ? found(by_external_, kernel.external) : -1;
  if (by_number >= 0 || kernel.correlation < 0) return by_number;
  return found(by_correlation_, kernel.correlation);
}

}  // namespace quintet
