// The one clock and the one loop. Handed over by reference, so several simulations can live side by
// side. Order is total: (time, class, sequence). Events of one instant run in the order they were
// asked for, except that every `settle` event of an instant runs after all its `happen` events:
// rates are solved once per instant, when all that starts and ends then is known.
//
// What will not happen is cancelled, never left to be ignored: the last event of a run is the last
// thing that happens.
//
//   const EventId late = events.at(Instant{30}, c);
//   events.at(Instant{10}, [&] { events.cancel(late); events.at(Instant{20}, d); });
//   events.at(Instant{20}, b, EventClass::settle);
//   events.run();  // 20: d ran then, after it b; c never ran
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/base/due_heap.h"
#include "sim/base/units.h"

namespace quintet {

enum class EventClass : std::uint8_t { happen, settle };

// An event that is still to come.
struct EventId {
  std::int32_t slot = -1;
  std::uint64_t sequence = 0;
};

class EventQueue {
 public:
  using Action = std::function<void()>;

  Instant now() const { return now_; }
  bool empty() const { return due_.empty(); }
  std::uint64_t handled() const { return handled_; }
  // Whether more is to happen at this instant.
  bool more_now() const { return !due_.empty() && due_.first().when == now_; }
  // Tells when all that is to come is due, counted from now.
  std::uint64_t state() const;

  // `when` must not lie before now().
  EventId at(Instant when, Action action, EventClass kind = EventClass::happen);
  EventId after(Duration delay, Action action, EventClass kind = EventClass::happen) {
    return at(now_ + delay, std::move(action), kind);
  }
  // The event must not have run, nor been cancelled before.
  void cancel(EventId id);

  // Runs until no event is left, or until halted; returns the time of the last one.
  Instant run();
  // No event runs after the one that runs now: what is still to come stays in the queue.
  void halt() { halted_ = true; }
  bool halted() const { return halted_; }

 private:
  struct Event {
    Action action;
    std::uint64_t sequence = 0;
  };
  Action take(std::int32_t slot);

  DueHeap due_;
  std::vector<Event> events_;  // slots: actions stay where they are while the heap is sorted
  std::vector<std::int32_t> free_slots_;
  Instant now_;
  std::uint64_t sequence_ = 0;
  std::uint64_t handled_ = 0;
  bool halted_ = false;
};

}  // namespace quintet
