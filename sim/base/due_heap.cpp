#include "sim/base/due_heap.h"

#include <algorithm>
#include <tuple>

namespace quintet {
namespace {

constexpr std::size_t children = 4;

bool before(const DueHeap::Due& left, const DueHeap::Due& right) {
  return std::tie(left.when, left.sequence) < std::tie(right.when, right.sequence);
}

}  // namespace

void DueHeap::put(std::size_t place, const Due& due) {
  heap_[place] = due;
  place_[static_cast<std::size_t>(due.slot)] = static_cast<std::int32_t>(place);
}

void DueHeap::rise(std::size_t place, const Due& due) {
  while (place > 0) {
    const std::size_t parent = (place - 1) / children;
    if (!before(due, heap_[parent])) break;
    put(place, heap_[parent]);
    place = parent;
  }
  put(place, due);
}

void DueHeap::sink(std::size_t place, const Due& due) {
  while (true) {
    const std::size_t begin = place * children + 1;
    const std::size_t end = std::min(begin + children, heap_.size());
    if (begin >= end) break;
    std::size_t least = begin;
    for (std::size_t child = begin + 1; child < end; ++child)
      if (before(heap_[child], heap_[least])) least = child;
    if (!before(heap_[least], due)) break;
    put(place, heap_[least]);
    place = least;
  }
  put(place, due);
}

void DueHeap::settle(std::size_t place, const Due& due) {
  if (place > 0 && before(due, heap_[(place - 1) / children])) {
    rise(place, due);
  } else {
    sink(place, due);
  }
}

void DueHeap::set(const Due& due) {
  const auto slot = static_cast<std::size_t>(due.slot);
  if (slot >= place_.size()) place_.resize(slot + 1, -1);
  if (place_[slot] >= 0) return settle(static_cast<std::size_t>(place_[slot]), due);
  heap_.emplace_back();
  rise(heap_.size() - 1, due);
}

void DueHeap::remove(std::int32_t slot) {
  const auto index = static_cast<std::size_t>(slot);
  if (index >= place_.size() || place_[index] < 0) return;
  const auto place = static_cast<std::size_t>(place_[index]);
  place_[index] = -1;
  const Due last = heap_.back();
  heap_.pop_back();
  if (last.slot != slot) settle(place, last);
}

}  // namespace quintet
