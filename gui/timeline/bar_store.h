// Millions of bars in rows, as columns of plain numbers (25 bytes a bar and less), with what a
// picture of many bars on few pixels needs: the longest bar of any stretch of a row, from a tree of
// the longest of each eight.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/units.h"
#include "sim/picture/canvas.h"

namespace quintet::gui {

class BarStore {
 public:
  void reserve(std::size_t bars);
  // Rows come one after another; bars of a row in order, none beginning before the one before it
  // has ended. `item`: what the bar is of, the caller's own number.
  void begin_row() { row_begins_.push_back(starts_.size()); }
  void add(Instant start, Instant end, std::uint32_t item, Look look);
  // Once, when all are there.
  void finish();

  std::size_t rows() const { return row_begins_.empty() ? 0 : row_begins_.size() - 1; }
  std::size_t bars() const { return starts_.size(); }
  std::size_t row_begin(std::size_t row) const { return row_begins_[row]; }
  std::size_t row_end(std::size_t row) const { return row_begins_[row + 1]; }
  std::size_t row_of(std::size_t bar) const;

  std::int64_t start(std::size_t bar) const { return starts_[bar]; }
  std::int64_t end(std::size_t bar) const { return ends_[bar]; }
  std::int64_t length(std::size_t bar) const { return ends_[bar] - starts_[bar]; }
  std::uint32_t item(std::size_t bar) const { return items_[bar]; }
  Look look(std::size_t bar) const { return static_cast<Look>(looks_[bar]); }

  // The first bar of the row that ends after the time; row_end() where none does.
  std::size_t first_ending_after(std::size_t row, std::int64_t time) const;
  // The first from `bar` on, before `end`, that starts at the time or after it; else `end`. Quick
  // where it is near.
  std::size_t first_starting_from(std::size_t bar, std::size_t end, std::int64_t time) const;
  // The longest of [begin, end), the first of equal ones; not empty.
  std::size_t longest(std::size_t begin, std::size_t end) const;

  std::size_t bytes() const;

 private:
  static constexpr std::size_t fan = 8;

  std::size_t longer(std::size_t one, std::size_t other) const {
    return length(other) > length(one) ? other : one;
  }
  std::size_t first_longer(std::size_t one, std::size_t other) const {
    if (length(one) == length(other)) return one < other ? one : other;
    return longer(one, other);
  }

  std::vector<std::int64_t> starts_, ends_;
  std::vector<std::uint32_t> items_;
  std::vector<std::uint8_t> looks_;
  std::vector<std::size_t> row_begins_;             // and where the last one ends
  std::vector<std::vector<std::uint32_t>> levels_;  // [0][k]: the longest of bars 8 k to 8 k + 7
};

}  // namespace quintet::gui
