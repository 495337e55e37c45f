// What ranks have to do at what time, by ASTRA-sim's rules: all that a rank has for one instant
// happens together, in the order in which it was asked for, where the first of it was asked for.
// Which of two ranks sends first at an instant, and so is first on a shared wire, depends on it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/base/event_queue.h"

namespace quintet {

struct RankEvent {
  enum class Kind : std::uint8_t {
    handled,  // piece `number` has a packet in hand; it is added up first where `adding` is not -1
    ended,    // task `number`
  };
  Kind kind = Kind::handled;
  std::int32_t number = -1;
  std::int64_t adding = -1;  // nanoseconds
};

class RankEvents {
 public:
  // `events` outlives this.
  RankEvents(EventQueue& events, int ranks,
             std::function<void(int rank, const RankEvent& event)> happen);
  void after(int rank, std::int64_t nanoseconds, const RankEvent& event);

 private:
  struct Entry {
    RankEvent event;
    std::int32_t next = -1;  // of the same instant, or among free places
  };
  struct Moment {
    Instant when;
    std::int32_t first = -1, last = -1;
  };
  void run(int rank);
  std::int32_t place_for(const RankEvent& event);

  EventQueue& events_;
  std::function<void(int, const RankEvent&)> happen_;
  std::vector<std::vector<Moment>> moments_;  // by rank; the latest first
  std::vector<Entry> entries_;
  std::int32_t free_ = -1;
};

}  // namespace quintet
