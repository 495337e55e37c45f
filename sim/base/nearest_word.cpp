#include "sim/base/nearest_word.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace quintet {
namespace {

// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment), one row
// of the table at a time.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last, last(to.size() + 1), row(to.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      row[j + 1] = std::min({last[j] + (from[i] == to[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1});
      const bool swapped = i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j];
      if (swapped) row[j + 1] = std::min(row[j + 1], before_last[j - 1] + 1);
    }
    before_last = std::exchange(last, row);
  }
  return last.back();
}

constexpr std::size_t longest_word = 64;  // no name we accept is longer, and the table is quadratic

}  // namespace

std::optional<std::string_view> nearest(std::string_view word,
                                        const std::vector<std::string_view>& candidates) {
  if (word.size() > longest_word) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= least || distance >= candidate.size()) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

std::vector<std::string_view> nearest_few(std::string_view word,
                                          const std::vector<std::string_view>& candidates,
                                          std::size_t most) {
  if (word.size() > longest_word) return {};
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const std::string_view candidate : candidates)
    if (const std::size_t distance = edit_distance(word, candidate);
        2 * distance <= word.size() + 1 && distance < candidate.size())
      near.emplace_back(distance, candidate);
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& left, const auto& right) { return left.first < right.first; });
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < std::min(most, near.size()); ++i) names.push_back(near[i].second);
  return names;
}

}  // namespace quintet
