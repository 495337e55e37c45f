// The one clock and the one loop. Handed over by reference, so several simulations can live side by
// side. Order is total: (time, class, sequence). Events of one instant run in the order they were
// asked for, except that every `settle` event of an instant runs after all its `happen` events:
// rates are solved once per instant, when all that starts and ends then is known (reference:
// all arrivals and ends of one instant are solved once).
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "sim/base/units.h"

namespace quintet {

enum class EventClass : std::uint8_t { happen, settle };

class EventQueue {
 public:
  using Action = std::function<void()>;

  Instant now() const { return now_; }
  bool empty() const { return events_.empty(); }
  std::uint64_t handled() const { return handled_; }

  // `when` must not lie before now(). Cancelling is the owner's business: keep a generation number
  // and ignore.
  void at(Instant when, Action action, EventClass kind = EventClass::happen);
  void after(Duration delay, Action action, EventClass kind = EventClass::happen) {
    at(now_ + delay, std::move(action), kind);
  }

  // Runs until no event is left; returns the time of the last one.
  Instant run();

 private:
  struct Event {
    Instant when;
    EventClass kind;
    std::uint64_t sequence;
    Action action;
  };
  struct Later {
    bool operator()(const Event& left, const Event& right) const;
  };

  std::vector<Event> events_;  // a binary heap by Later
  Instant now_;
  std::uint64_t sequence_ = 0;
  std::uint64_t handled_ = 0;
};

}  // namespace quintet
