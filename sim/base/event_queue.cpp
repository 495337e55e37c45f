#include "sim/base/event_queue.h"

#include <algorithm>
#include <cassert>
#include <tuple>

namespace quintet {

bool EventQueue::Later::operator()(const Event& left, const Event& right) const {
  return std::tie(left.when, left.kind, left.sequence) >
         std::tie(right.when, right.kind, right.sequence);
}

void EventQueue::at(Instant when, Action action, EventClass kind) {
  assert(when >= now_);
  events_.push_back({when, kind, sequence_++, std::move(action)});
  std::push_heap(events_.begin(), events_.end(), Later{});
}

Instant EventQueue::run() {
  while (!events_.empty()) {
    std::pop_heap(events_.begin(), events_.end(), Later{});
    const Event event = std::move(events_.back());
    events_.pop_back();
    now_ = event.when;
    ++handled_;
    event.action();
  }
  return now_;
}

}  // namespace quintet
