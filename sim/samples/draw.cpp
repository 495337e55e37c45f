#include "sim/samples/draw.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace quintet {

std::string_view name_of(SampleDraw draw) {
  switch (draw) {
    case SampleDraw::random:
      return "random";
    case SampleDraw::stratified:
      return "stratified";
    case SampleDraw::packed:
      return "packed";
  }
  return {};
}

LengthDraw::LengthDraw(const LengthHistogram& lengths, std::size_t from, std::size_t to)
    : first_(from) {
  double sum = 0;
  for (std::size_t i = from; i < std::min(to, lengths.share.size()); ++i)
    up_to_.push_back(sum += lengths.share[i]);
}

int LengthDraw::draw(std::mt19937_64& random) const {
  assert(weight() > 0);
  const double at = static_cast<double>(random() >> 11) * 0x1p-53 * weight();
  const auto found = std::upper_bound(up_to_.begin(), up_to_.end(), at);
  const auto index = std::min<std::ptrdiff_t>(found - up_to_.begin(),
                                              static_cast<std::ptrdiff_t>(up_to_.size()) - 1);
  return static_cast<int>(first_) + static_cast<int>(index) + 1;
}

std::vector<Quota> unstratified(const LengthHistogram& lengths, int samples) {
  return {{LengthDraw(lengths, 0, lengths.share.size()), samples}};
}

std::vector<Quota> stratified(const LengthHistogram& lengths, const std::vector<int>& longest,
                              const std::vector<int>& counts) {
  assert(longest.size() == counts.size());
  std::vector<Quota> found;
  std::size_t from = 0;
  for (std::size_t bin = 0; bin < longest.size(); ++bin) {
    const auto to = static_cast<std::size_t>(longest[bin]);
    found.push_back({LengthDraw(lengths, from, to), counts[bin]});
    from = to;
  }
  return found;
}

std::vector<int> equal_bins(int longest) {
  constexpr int bins = 4;
  std::vector<int> found;
  for (int bin = 1; bin <= bins; ++bin)
    found.push_back(static_cast<int>(std::int64_t{longest} * bin / bins));
  return found;
}

std::vector<int> counts_by_share(const LengthHistogram& lengths, const std::vector<int>& longest,
                                 int samples) {
  std::vector<int> counts;
  std::vector<double> left;
  int given = 0, from = 0;
  for (const int to : longest) {
    const double wanted = share_between(lengths, from, to) * samples;
    counts.push_back(static_cast<int>(wanted));
    left.push_back(wanted - std::floor(wanted));
    given += counts.back();
    from = to;
  }
  for (; given < samples; ++given) {
    const auto most = std::max_element(left.begin(), left.end()) - left.begin();
    ++counts[static_cast<std::size_t>(most)];
    left[static_cast<std::size_t>(most)] = -1;
  }
  return counts;
}

Lengths drawn(const std::vector<Quota>& from, std::mt19937_64& random) {
  Lengths lengths;
  for (const Quota& quota : from)
    for (int i = 0; i < quota.count; ++i) lengths.push_back(quota.from.draw(random));
  return lengths;
}

}  // namespace quintet
