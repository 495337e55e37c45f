#include "traces/perfetto/drawn.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace quintet {

std::size_t Drawn::row_of(std::size_t what) const {
  return is_span(what) ? rows_.row_of_span(what) : rows_.row_of_gap(gap(what));
}
Instant Drawn::start_of(std::size_t what) const {
  return is_span(what) ? timeline_.spans[what].start : timeline_.host_gaps[gap(what)].start;
}
Instant Drawn::end_of(std::size_t what) const {
  return is_span(what) ? timeline_.spans[what].end : timeline_.host_gaps[gap(what)].end;
}

// By row each beginning with its end, which sorting by time leaves in that order.
std::vector<DrawnEdge> Drawn::edges() const {
  std::vector<std::uint32_t> order(size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t left, std::uint32_t right) {
    return std::pair(row_of(left), start_of(left)) < std::pair(row_of(right), start_of(right));
  });
  std::vector<DrawnEdge> made;
  made.reserve(2 * order.size());
  for (const std::uint32_t what : order) {
    made.push_back({start_of(what), what, true});
    made.push_back({end_of(what), what, false});
  }
  std::stable_sort(made.begin(), made.end(), [](const DrawnEdge& left, const DrawnEdge& right) {
    return left.time < right.time;
  });
  return made;
}

}  // namespace quintet
