#include "sim/analytic/data_lanes.h"

#include <algorithm>

namespace quintet {

const JointLink& JointLinks::of(const SharedLinks* first, const SharedLinks* second) {
  const auto [found, fresh] = known_.try_emplace(
      PieceKey(reinterpret_cast<std::uintptr_t>(first), reinterpret_cast<std::uintptr_t>(second)));
  if (!fresh) return found->second;
  JointLink least;
  const std::vector<LinkTotal>& ones = first->totals();
  const std::vector<LinkTotal>& others = second->totals();
  std::size_t other = 0;
  for (const LinkTotal& one : ones) {
    while (other < others.size() && others[other].link < one.link) ++other;
    if (other == others.size()) break;
    if (others[other].link != one.link) continue;
    const JointLink both{one.capacity, one.per_byte, others[other].per_byte};
    if (least.capacity == 0 ||
        both.capacity / (both.first + both.second) < least.capacity / (least.first + least.second))
      least = both;
  }
  return found->second = least;
}

int DataLanes::take(Lane lane, const PricedMove& move, int times, double slower, double now) {
  advance(now);
  Queue& queue = lanes_[lane];
  Flow flow;
  flow.latency = times * move.latency;
  flow.bytes = times * move.bytes;
  flow.all_latency = flow.latency;
  flow.all_bytes = flow.bytes;
  flow.rate = std::min(move.bound / slower, move.share);
  flow.links = move.links;
  add(flow.beside, move);
  if (queue.done == queue.flows.size()) {
    queue.before += queue.done;
    queue.flows.clear();
    queue.done = 0;
  }
  queue.flows.push_back(flow);
  ++under_way_;
  if (queue.flows.size() == 1) set_rates();
  return static_cast<int>(queue.before + queue.flows.size()) - 1;
}

CommunicationBeside DataLanes::company() const {
  CommunicationBeside all;
  for (const Queue& queue : lanes_) {
    if (!moves(queue)) continue;
    const CommunicationBeside& one = queue.flows[queue.done].beside;
    all.busy_sms += one.busy_sms;
    all.memory_share += one.memory_share;
    all.reducing += one.reducing;
    all.copying += one.copying;
  }
  return all;
}

double DataLanes::meet(const PricedMove& move) {
  yield_nothing();
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const Queue& queue = lanes_[lane];
    if (!moves(queue) || rates_[lane] == 0) continue;
    const SharedLinks* const links = queue.flows[queue.done].links;
    if (links == nullptr) continue;
    const JointLink& link = joint_->of(move.links, links);
    const double other = std::min(move.bound, move.share), own = rates_[lane];
    if (link.capacity == 0 || link.first * other + link.second * own <= link.capacity) continue;
    const double even = link.capacity / (link.first + link.second);
    double left = std::min(other, even), kept = std::min(own, even);
    if (other <= own)
      kept = std::min(own, (link.capacity - link.first * left) / link.second);
    else
      left = std::min(other, (link.capacity - link.second * kept) / link.first);
    met_ = lane;
    met_share_ = kept / own;
    return other / left;
  }
  return 1;
}

void DataLanes::yield(double duty) {
  if (met_ == lanes) return;
  kept_ = 1 - duty * (1 - met_share_);
  set_rates();
}

void DataLanes::yield_nothing() {
  if (met_ == lanes) return;
  met_ = lanes;
  kept_ = 1;
  set_rates();
}

void DataLanes::set_rates() {
  set_rates_alone();
  if (met_ != lanes) rates_[met_] *= kept_;
}

void DataLanes::set_rates_alone() {
  std::array<const Flow*, lanes> flows{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const Queue& queue = lanes_[lane];
    rates_[lane] = 0;
    if (!moves(queue)) continue;
    const Flow& flow = queue.flows[queue.done];
    if (flow.latency > 0) continue;
    flows[lane] = &flow;
    rates_[lane] = flow.rate;
  }
  const Flow *const one = flows[0], *const other = flows[1];
  if (one == nullptr || other == nullptr || one->links == nullptr || other->links == nullptr)
    return;
  const JointLink& link = joint_->of(one->links, other->links);
  if (link.capacity == 0) return;
  const double even = link.capacity / (link.first + link.second);
  if (one->rate <= other->rate) {
    rates_[0] = std::min(one->rate, even);
    rates_[1] = std::min(other->rate, (link.capacity - link.first * rates_[0]) / link.second);
  } else {
    rates_[1] = std::min(other->rate, even);
    rates_[0] = std::min(one->rate, (link.capacity - link.second * rates_[1]) / link.first);
  }
}

double DataLanes::next_change() const {
  double next = std::numeric_limits<double>::infinity();
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const Queue& queue = lanes_[lane];
    if (!moves(queue)) continue;
    const Flow& flow = queue.flows[queue.done];
    if (flow.latency > 0)
      next = std::min(next, now_ + flow.latency);
    else
      next = std::min(next, flow.bytes > 0 ? now_ + flow.bytes / rates_[lane] : now_);
  }
  return next;
}

// No further than next_change().
void DataLanes::pass(double until) {
  const double time = until - now_;
  bool changed = false;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    Queue& queue = lanes_[lane];
    if (!moves(queue)) continue;
    Flow& flow = queue.flows[queue.done];
    constexpr double dust = 1e-12;  // s
    if (flow.latency > 0) {
      flow.latency = flow.latency - time > dust ? flow.latency - time : 0;
      changed = changed || flow.latency == 0;
    } else {
      flow.bytes -= time * rates_[lane];
    }
    if (flow.latency > 0 || flow.bytes > dust * rates_[lane]) continue;
    ++queue.done;
    --under_way_;
    changed = true;
  }
  now_ = until;
  if (changed) set_rates();
}

void DataLanes::advance(double until) {
  if (under_way_ == 0) {
    now_ = std::max(now_, until);
    return;
  }
  while (now_ < until && !idle()) pass(std::min(until, next_change()));
  now_ = std::max(now_, until);
}

// s from now, at the rates of now; infinite before it has begun.
double DataLanes::left_until(Lane lane, int number, double share) const {
  const Queue& queue = lanes_[lane];
  if (queue.before + queue.done != static_cast<std::size_t>(number))
    return std::numeric_limits<double>::infinity();
  const Flow& flow = queue.flows[queue.done];
  const double rate = rates_[lane] > 0 ? rates_[lane] : flow.rate;
  const auto time = [&](double latency, double bytes) {
    return latency + (bytes > 0 ? bytes / rate : 0);
  };
  return time(flow.latency, flow.bytes) - (1 - share) * time(flow.all_latency, flow.all_bytes);
}

double DataLanes::finish(Lane lane, int number, double share) {
  while (!over(lane, number)) {
    const double left = left_until(lane, number, share);
    if (left <= 0) break;
    pass(std::min(now_ + left, next_change()));
    if (left < 1e-12) break;
  }
  return now_;
}

double DataLanes::finish(Lane lane, int number) {
  const auto last = static_cast<std::size_t>(number);
  while (lanes_[lane].before + lanes_[lane].done <= last) pass(next_change());
  return now_;
}

double DataLanes::finish_all() {
  while (!idle()) pass(next_change());
  return now_;
}

}  // namespace quintet
