// Which of many things has a number: four bytes for each of up to twice as many.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace quintet {

// number_of(index) is a thing's; it must stay the same while this lives.
template <class NumberOf>
class IndexTable {
 public:
  // For at most so many things.
  IndexTable(std::size_t most, NumberOf number_of)
      : slots_(std::bit_ceil(2 * most + 2), -1), number_of_(std::move(number_of)) {}

  // False: another with its number is there, and stays.
  bool insert(std::int32_t index) {
    const std::size_t at = slot_of(number_of_(index));
    if (slots_[at] >= 0) return false;
    slots_[at] = index;
    return true;
  }
  // -1: none has it.
  std::int32_t find(std::int64_t number) const { return slots_[slot_of(number)]; }

 private:
  std::size_t slot_of(std::int64_t number) const {
    // Numbers that follow one another are spread by the golden ratio (Knuth, volume 3, 6.4).
    const auto hash = static_cast<std::uint64_t>(number) * 0x9E37'79B9'7F4A'7C15;
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = (hash >> 32) & mask;
    while (slots_[at] >= 0 && number_of_(slots_[at]) != number) at = (at + 1) & mask;
    return at;
  }
  std::vector<std::int32_t> slots_;
  NumberOf number_of_;
};

}  // namespace quintet
