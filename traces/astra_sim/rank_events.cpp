#include "traces/astra_sim/rank_events.h"

#include <algorithm>
#include <utility>

#include "traces/astra_sim/wire_rules.h"

namespace quintet {

RankEvents::RankEvents(EventQueue& events, int ranks,
                       std::function<void(int rank, const RankEvent& event)> happen)
    : events_(events), happen_(std::move(happen)), moments_(static_cast<std::size_t>(ranks)) {}

std::int32_t RankEvents::place_for(const RankEvent& event) {
  if (free_ < 0) {
    entries_.push_back({event, -1});
    return static_cast<std::int32_t>(entries_.size()) - 1;
  }
  const std::int32_t place = free_;
  Entry& entry = entries_[static_cast<std::size_t>(place)];
  free_ = entry.next;
  entry = {event, -1};
  return place;
}

void RankEvents::after(int rank, std::int64_t nanoseconds, const RankEvent& event) {
  const Instant when = events_.now() + span_of(nanoseconds);
  std::vector<Moment>& moments = moments_[static_cast<std::size_t>(rank)];
  const std::int32_t place = place_for(event);
  const auto at =
      std::lower_bound(moments.begin(), moments.end(), when,
                       [](const Moment& moment, Instant instant) { return moment.when > instant; });
  if (at != moments.end() && at->when == when) {
    // Of a moment that runs, all may have been taken.
    if (at->last >= 0) {
      entries_[static_cast<std::size_t>(at->last)].next = place;
    } else {
      at->first = place;
    }
    at->last = place;
    return;
  }
  moments.insert(at, {when, place, place});
  events_.at(when, [this, rank] { run(rank); });
}

void RankEvents::run(int rank) {
  std::vector<Moment>& moments = moments_[static_cast<std::size_t>(rank)];
  while (moments.back().first >= 0) {
    Moment& moment = moments.back();
    const std::int32_t place = moment.first;
    Entry& entry = entries_[static_cast<std::size_t>(place)];
    const RankEvent event = entry.event;
    moment.first = entry.next;
    if (moment.first < 0) moment.last = -1;
    entry.next = std::exchange(free_, place);
    happen_(rank, event);
  }
  moments.pop_back();
}

}  // namespace quintet
