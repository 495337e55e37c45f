#include "traces/astra_sim/wires.h"

#include <utility>

#include "traces/astra_sim/wire_rules.h"

namespace quintet {
Wires::Wires(EventQueue& events, const AstraNetwork& network, AstraBackend backend,
             std::function<void(const AstraMessage&)> come)
    : events_(events), network_(network), backend_(backend), come_(std::move(come)) {}

std::int32_t Wires::place_for(const AstraMessage& message) {
  if (free_place_ < 0) {
    on_way_.push_back({message, message.from, -1});
    return static_cast<std::int32_t>(on_way_.size()) - 1;
  }
  const std::int32_t place = free_place_;
  OnWay& entry = on_way_[static_cast<std::size_t>(place)];
  free_place_ = entry.next;
  entry = {message, message.from, -1};
  return place;
}

void Wires::leave(std::int32_t place) {
  OnWay& entry = on_way_[static_cast<std::size_t>(place)];
  const AstraMessage message = entry.message;
  entry.next = std::exchange(free_place_, place);
  come_(message);
}

void Wires::send(const AstraMessage& message) {
  ++sent_;
  const std::int32_t place = place_for(message);
  switch (backend_) {
    case AstraBackend::congestion_unaware:
      events_.after(span_of(unaware_nanoseconds(network_, message.from, message.to, message.size)),
                    [this, place] { leave(place); });
      return;
    case AstraBackend::congestion_aware:
      arrive(place);
      return;
  }
}

// Goes on from where it is.
void Wires::arrive(std::int32_t place) {
  OnWay& entry = on_way_[static_cast<std::size_t>(place)];
  const int from = entry.at;
  entry.at = next_on_way(network_.dimensions.front(), from, entry.message.to);
  enter(wire_between(from, entry.at), place);
}

std::int32_t Wires::wire_between(int from, int to) {
  const std::int64_t devices = network_.dimensions.front().ranks + 1;  // the switch included
  const auto [found, added] =
      wire_numbers_.try_emplace(from * devices + to, static_cast<std::int32_t>(wires_.size()));
  if (added) wires_.emplace_back();
  return found->second;
}

void Wires::enter(std::int32_t wire, std::int32_t place) {
  Wire& line = wires_[static_cast<std::size_t>(wire)];
  if (!line.busy) return set_out(wire, place);
  if (line.last >= 0) {
    on_way_[static_cast<std::size_t>(line.last)].next = place;
  } else {
    line.first = place;
  }
  line.last = place;
}

// The message reaches the other end before the wire falls free where both happen in one instant: so
// ASTRA-sim enters the events.
void Wires::set_out(std::int32_t wire, std::int32_t place) {
  const AstraDimension& dimension = network_.dimensions.front();
  const std::int64_t size = on_way_[static_cast<std::size_t>(place)].message.size;
  wires_[static_cast<std::size_t>(wire)].busy = true;
  events_.after(span_of(hop_nanoseconds(dimension, size)), [this, place] { reach(place); });
  events_.after(span_of(wire_nanoseconds(dimension, size)), [this, wire] { fall_free(wire); });
}

void Wires::reach(std::int32_t place) {
  const OnWay& entry = on_way_[static_cast<std::size_t>(place)];
  if (entry.at == entry.message.to) return leave(place);
  arrive(place);
}

void Wires::fall_free(std::int32_t wire) {
  Wire& line = wires_[static_cast<std::size_t>(wire)];
  line.busy = false;
  if (line.first < 0) return;
  const std::int32_t place = line.first;
  OnWay& entry = on_way_[static_cast<std::size_t>(place)];
  line.first = std::exchange(entry.next, -1);
  if (line.first < 0) line.last = -1;
  set_out(wire, place);
}

}  // namespace quintet
