#include "gui/timeline/bar_store.h"

#include <algorithm>

namespace quintet::gui {

void BarStore::reserve(std::size_t bars) {
  starts_.reserve(bars);
  ends_.reserve(bars);
  items_.reserve(bars);
  looks_.reserve(bars);
}

void BarStore::add(Instant start, Instant end, std::uint32_t item, Look look) {
  starts_.push_back(start.picoseconds);
  ends_.push_back(end.picoseconds);
  items_.push_back(item);
  looks_.push_back(static_cast<std::uint8_t>(look));
}

void BarStore::finish() {
  row_begins_.push_back(starts_.size());
  std::size_t below = bars();
  while (below > fan) {
    const std::vector<std::uint32_t>* const children = levels_.empty() ? nullptr : &levels_.back();
    std::vector<std::uint32_t> level((below + fan - 1) / fan);
    for (std::size_t node = 0; node < level.size(); ++node) {
      const auto child = [&](std::size_t index) {
        return children == nullptr ? index : std::size_t{(*children)[index]};
      };
      std::size_t best = child(node * fan);
      for (std::size_t i = node * fan + 1; i < std::min(node * fan + fan, below); ++i)
        best = longer(best, child(i));
      level[node] = static_cast<std::uint32_t>(best);
    }
    below = level.size();
    levels_.push_back(std::move(level));
  }
}

std::size_t BarStore::row_of(std::size_t bar) const {
  const auto after = std::upper_bound(row_begins_.begin(), row_begins_.end() - 1, bar);
  return static_cast<std::size_t>(after - row_begins_.begin()) - 1;
}

std::size_t BarStore::first_ending_after(std::size_t row, std::int64_t time) const {
  const auto at = [this](std::size_t bar) {
    return ends_.begin() + static_cast<std::ptrdiff_t>(bar);
  };
  return static_cast<std::size_t>(std::upper_bound(at(row_begin(row)), at(row_end(row)), time) -
                                  ends_.begin());
}

std::size_t BarStore::first_starting_from(std::size_t bar, std::size_t end,
                                          std::int64_t time) const {
  std::size_t step = 1;
  std::size_t low = bar;
  while (low + step < end && starts_[low + step] < time) {
    low += step;
    step *= 2;
  }
  const auto at = [this](std::size_t each) {
    return starts_.begin() + static_cast<std::ptrdiff_t>(each);
  };
  return static_cast<std::size_t>(std::lower_bound(at(low), at(std::min(end, low + step)), time) -
                                  starts_.begin());
}

// From both ends inwards, a level up wherever a whole node lies inside.
std::size_t BarStore::longest(std::size_t begin, std::size_t end) const {
  std::size_t best = begin;
  std::size_t level = 0;
  std::size_t low = begin, high = end;
  const auto bar_at = [&](std::size_t index) {
    return level == 0 ? index : std::size_t{levels_[level - 1][index]};
  };
  while (low < high) {
    const bool top = level >= levels_.size();
    while (low < high && (top || low % fan != 0)) best = first_longer(best, bar_at(low++));
    while (low < high && high % fan != 0) best = first_longer(best, bar_at(--high));
    low /= fan;
    high /= fan;
    ++level;
  }
  return best;
}

std::size_t BarStore::bytes() const {
  std::size_t sum = starts_.capacity() * 8 + ends_.capacity() * 8 + items_.capacity() * 4 +
                    looks_.capacity() + row_begins_.capacity() * 8;
  for (const auto& level : levels_) sum += level.capacity() * 4;
  return sum;
}

}  // namespace quintet::gui
