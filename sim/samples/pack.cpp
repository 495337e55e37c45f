#include "sim/samples/pack.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <map>
#include <numeric>

namespace quintet {

std::vector<std::vector<std::size_t>> packed_rows(std::span<const int> samples, int length) {
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return samples[left] > samples[right];
  });
  std::vector<std::vector<std::size_t>> rows;
  std::multimap<int, std::size_t> room;  // tokens left -> row
  for (const std::size_t sample : order) {
    const int count = samples[sample];
    assert(count <= length);
    const auto tightest = room.lower_bound(count);
    const bool found = tightest != room.end();
    const int left = (found ? tightest->first : length) - count;
    const std::size_t row = found ? tightest->second : rows.size();
    if (found) room.erase(tightest);
    if (!found) rows.emplace_back();
    rows[row].push_back(sample);
    if (left > 0) room.emplace(left, row);
  }
  return rows;
}

namespace {

// The middle of each of so many equal shares of the data.
Lengths quantiles(const LengthHistogram& lengths, int samples) {
  Lengths found;
  double up_to = 0;
  std::size_t length = 0;
  for (int i = 0; i < samples; ++i) {
    const double at = (i + 0.5) / samples;
    while (length < lengths.share.size() && up_to + lengths.share[length] < at)
      up_to += lengths.share[length++];
    found.push_back(static_cast<int>(std::min(length + 1, lengths.share.size())));
  }
  return found;
}

}  // namespace

std::vector<SampleWork> packed_rows_of(const LengthHistogram& lengths, int length, int samples) {
  const Lengths all = quantiles(lengths, samples);
  std::vector<SampleWork> rows;
  for (const std::vector<std::size_t>& row : packed_rows(all, length)) {
    Lengths inside;
    for (const std::size_t sample : row) inside.push_back(all[sample]);
    const int left = length - std::accumulate(inside.begin(), inside.end(), 0);
    if (left > 0) inside.push_back(left);
    rows.push_back(work_of(inside));
  }
  return rows;
}

}  // namespace quintet
