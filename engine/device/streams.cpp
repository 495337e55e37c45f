#include "engine/device/streams.h"

#include <cassert>

namespace quintet::engine {

Streams::Streams(kernels::Device& device, const std::vector<kernels::Urgency>& lanes)
    : device_(device) {
  assert(lanes.size() <= most_lanes);
  for (const kernels::Urgency urgency : lanes)
    lanes_.push_back({device.make_stream(urgency), 0, {}, {}});
}

Streams::~Streams() {
  for (Lane& lane : lanes_) {
    device_.destroy(lane.stream);
    for (const Recorded& each : lane.events) device_.destroy(each.event);
  }
  for (const std::vector<Passed>& step : ended_)
    for (const Passed& each : step) device_.destroy(each.event);
  for (const kernels::StreamEvent event : free_) device_.destroy(event);
  for (const kernels::StreamEvent event : of_graphs_) device_.destroy(event);
}

kernels::StreamEvent Streams::take_event() {
  if (free_.empty()) return device_.make_event();
  const kernels::StreamEvent event = free_.back();
  free_.pop_back();
  return event;
}

const Streams::Recorded& Streams::event(std::size_t lane, std::uint64_t number) const {
  const Lane& of = lanes_[lane];
  const std::uint64_t back = of.recorded - number;
  assert(number <= of.recorded && back < of.events.size());
  return of.events[of.events.size() - 1 - static_cast<std::size_t>(back)];
}

void Streams::record(std::size_t lane) {
  Lane& of = lanes_[lane];
  of.known[lane] = ++of.recorded;
  of.events.push_back({take_event(), of.known});
  device_.record(of.events.back().event, of.stream);
}

bool Streams::ordered(std::size_t lane, const Places& before) const {
  const Places& known = lanes_[lane].known;
  for (std::size_t other = 0; other < lanes_.size(); ++other)
    if (other != lane && before[other] > known[other]) return false;
  return true;
}

void Streams::order(std::size_t lane, const Places& before) {
  Lane& waiting = lanes_[lane];
  for (std::size_t other = 0; other < lanes_.size(); ++other) {
    if (other == lane || before[other] <= waiting.known[other]) continue;
    if (before[other] > lanes_[other].recorded) record(other);
    const Recorded& until = event(other, before[other]);
    device_.wait(waiting.stream, until.event);
    include(waiting.known, until.known);
  }
}

std::vector<Streams::Passed> Streams::of_this_step() const {
  std::vector<Passed> all;
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    const Lane& of = lanes_[lane];
    std::uint64_t number = of.recorded - of.events.size();
    for (const Recorded& each : of.events) all.push_back({lane, ++number, each.event});
  }
  return all;
}

void Streams::end_step() {
  ended_.push_back(of_this_step());
  for (Lane& each : lanes_) each.events.clear();
  all_known();
}

void Streams::over() {
  for (const Passed& each : ended_.front()) free_.push_back(each.event);
  ended_.pop_front();
}

Places Streams::undone() const {
  Places first{};
  for (const Passed& each : ended_.empty() ? of_this_step() : ended_.front())
    if (first[each.lane] == 0 && !device_.has_happened(each.event)) first[each.lane] = each.number;
  return first;
}

void Streams::become_graph() {
  for (Lane& each : lanes_) {
    for (const Recorded& kept : each.events) of_graphs_.push_back(kept.event);
    each.events.clear();
  }
  all_known();
}

void Streams::all_known() {
  Places all{};
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) all[lane] = lanes_[lane].recorded;
  for (Lane& each : lanes_) each.known = all;
}

}  // namespace quintet::engine
