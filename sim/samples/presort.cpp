#include "sim/samples/presort.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace quintet {

std::vector<std::vector<std::size_t>> snaked(std::span<const int> lengths, std::size_t ranks) {
  assert(ranks > 0);
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return lengths[left] > lengths[right];
  });
  std::vector<std::vector<std::size_t>> dealt(ranks);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t place = i % ranks;
    const bool back = (i / ranks) % 2 == 1;
    dealt[back ? ranks - 1 - place : place].push_back(order[i]);
  }
  return dealt;
}

std::vector<Lengths> presorted(const std::vector<Lengths>& drawn, int group) {
  assert(group > 0);
  const auto width = static_cast<std::size_t>(group);
  std::vector<Lengths> dealt;
  for (std::size_t first = 0; first < drawn.size(); first += width) {
    const std::size_t members = std::min(width, drawn.size() - first);
    Lengths all;
    for (std::size_t rank = first; rank < first + members; ++rank)
      all.insert(all.end(), drawn[rank].begin(), drawn[rank].end());
    for (const std::vector<std::size_t>& own : snaked(all, members)) {
      Lengths& lengths = dealt.emplace_back();
      for (const std::size_t sample : own) lengths.push_back(all[sample]);
    }
  }
  return dealt;
}

}  // namespace quintet
