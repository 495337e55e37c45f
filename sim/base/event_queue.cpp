#include "sim/base/event_queue.h"

#include <cassert>
#include <utility>

#include "sim/base/digest.h"

namespace quintet {

namespace {

// This bit puts all that settles at an instant after all that happens then.
constexpr std::uint64_t settles = std::uint64_t{1} << 63;

}  // namespace

EventId EventQueue::at(Instant when, Action action, EventClass kind) {
  assert(when >= now_);
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::int32_t>(events_.size()));
    events_.emplace_back();
  }
  const std::int32_t slot = free_slots_.back();
  free_slots_.pop_back();
  const std::uint64_t sequence = sequence_++ | (kind == EventClass::settle ? settles : 0);
  events_[static_cast<std::size_t>(slot)] = {std::move(action), sequence};
  due_.set({when, sequence, slot});
  return {slot, sequence};
}

std::uint64_t EventQueue::state() const {
  std::uint64_t sum = 0;
  for (const DueHeap::Due& due : due_.entries()) sum += Digest{}.add(due.when - now_).value();
  return sum;
}

EventQueue::Action EventQueue::take(std::int32_t slot) {
  due_.remove(slot);
  free_slots_.push_back(slot);
  return std::exchange(events_[static_cast<std::size_t>(slot)].action, nullptr);
}

void EventQueue::cancel(EventId id) {
  assert(events_[static_cast<std::size_t>(id.slot)].sequence == id.sequence);
  assert(events_[static_cast<std::size_t>(id.slot)].action);
  take(id.slot);
}

Instant EventQueue::run() {
  while (!due_.empty() && !halted_) {
    now_ = due_.first().when;
    ++handled_;
    const Action action = take(due_.first().slot);
    action();
  }
  return now_;
}

}  // namespace quintet
