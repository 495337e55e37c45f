#include "sim/price/link_sums.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace quintet {

void LinkSums::put(std::int32_t number, double bytes_per_byte) {
  const auto link = static_cast<std::size_t>(number);
  if (link >= sums_.size()) sums_.resize(link + link / 2 + 1, 0.0);
  if (bytes_per_byte != share_) {
    share_ = bytes_per_byte;
    on_grid_ = on_grid(bytes_per_byte);
  }
  if (sums_[link] == 0.0) touched_.push_back(number);
  sums_[link] += on_grid_;
}

void LinkSums::add(const Route& path, double bytes_per_byte) {
  for (const RouteShare& use : path.links) put(use.link.value, use.share * bytes_per_byte);
}

void LinkSums::add(LinkId link, double bytes_per_byte) {
  put(link.value, bytes_per_byte);
}

std::vector<Usage> LinkSums::taken() {
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  std::vector<Usage> list;
  list.reserve(touched_.size());
  for (const std::int32_t link : touched_)
    list.push_back({link, std::exchange(sums_[static_cast<std::size_t>(link)], 0.0)});
  touched_.clear();
  return list;
}

}  // namespace quintet
