// What is due when, earliest first; what is due at one instant in the order of its sequence. An
// entry can be moved and removed, so what is called off leaves nothing behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/units.h"

namespace quintet {

class DueHeap {
 public:
  struct Due {
    Instant when;
    std::uint64_t sequence = 0;  // unique
    std::int32_t slot = 0;       // the owner's number for what is due; small, it indexes a vector
  };

  bool empty() const { return heap_.empty(); }
  const Due& first() const { return heap_.front(); }
  const std::vector<Due>& entries() const { return heap_; }  // in no order
  void set(const Due& due);                                  // enters the slot, or moves it
  void remove(std::int32_t slot);                            // nothing happens if it is not there

 private:
  void put(std::size_t place, const Due& due);
  void rise(std::size_t place, const Due& due);
  void sink(std::size_t place, const Due& due);
  void settle(std::size_t place, const Due& due);

  std::vector<Due> heap_;            // four children per node: shallower, and they share a line
  std::vector<std::int32_t> place_;  // by slot; -1: not there
};

}  // namespace quintet
