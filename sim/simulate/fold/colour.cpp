#include "sim/simulate/fold/colour.h"

#include <utility>

namespace quintet {

namespace {

// Colours in order of first appearance. Few are known where many are asked: the table of those
// stays in the cache, which std::unordered_map's nodes do not.
class Numbering {
 public:
  Numbering() : slots_(least_slots) {}

  Colour number_of(Colour colour) {
    std::size_t at = slot_of(colour);
    if (slots_[at].number == free) {
      slots_[at] = {colour, known_};
      if (2 * ++known_ > slots_.size()) grow();
      return known_ - 1;
    }
    return slots_[at].number;
  }
  std::size_t known() const { return known_; }

 private:
  static constexpr std::size_t least_slots = 256;  // a power of two, as all sizes are
  static constexpr Colour free = ~Colour{0};
  struct Slot {
    Colour colour = 0, number = free;
  };

  // Where the colour is, or would be.
  std::size_t slot_of(Colour colour) const {
    std::size_t at = spread_bits(colour) & (slots_.size() - 1);
    while (slots_[at].number != free && slots_[at].colour != colour)
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    std::swap(old, slots_);
    for (const Slot& each : old)
      if (each.number != free) slots_[slot_of(each.colour)] = each;
  }

  std::vector<Slot> slots_;
  std::size_t known_ = 0;
};

}  // namespace

std::size_t compact(std::vector<Colour>& colours) {
  Numbering numbers;
  Colour last = 0;
  const Colour* before = nullptr;  // neighbours mostly are of one colour
  for (Colour& colour : colours) {
    if (before == nullptr || colour != last) {
      last = colour;
      colour = numbers.number_of(colour);
    } else {
      colour = *before;
    }
    before = &colour;
  }
  return numbers.known();
}

}  // namespace quintet
