#include "sim/explain/mean_parts.h"

#include <algorithm>
#include <numeric>

namespace quintet {

std::vector<Duration> mean_parts(const std::vector<RankTime>& totals, RankTime ranks,
                                 Duration whole) {
  std::vector<Duration> parts;
  for (const RankTime total : totals) {
    parts.push_back({static_cast<std::int64_t>(total / ranks)});
    whole = whole - parts.back();
  }
  std::vector<std::size_t> order(totals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return totals[left] % ranks > totals[right] % ranks;
  });
  for (std::size_t i = 0; whole > Duration{}; ++i, whole = whole - Duration{1})
    parts[order[i]] += Duration{1};
  return parts;
}

}  // namespace quintet
