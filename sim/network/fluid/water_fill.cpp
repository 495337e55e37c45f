#include "sim/network/fluid/water_fill.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace quintet {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double grid = 0x1p34;  // coefficients are whole multiples of 1 / grid

std::int64_t coefficient_of(double per_unit, double weight) {
  const double scaled = per_unit * weight * grid;
  assert(scaled > 0.0 && scaled < 0x1p62);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(scaled + 0.5));
}

double level_when_full(double remaining, std::int64_t coefficients) {
  return std::max(0.0, remaining) / (static_cast<double>(coefficients) / grid);
}

// A flow that meets its bound has it to the last bit.
double rate_at(double level, double weight, double bound) {
  return level >= bound / weight ? bound : std::min(bound, level * weight);
}

}  // namespace

double capacity_among(const LinkShare& link, std::int64_t flows) {
  if (link.loss_per_flow == 0.0) return link.capacity;
  const double share = 1.0 - link.loss_per_flow * static_cast<double>(flows - 1);
  return link.capacity * std::max(0.0, share);
}

double rate_alone(std::span<const LinkShare> links, const FlowDemand& flow) {
  double level = flow.bound / flow.weight;
  for (const Usage& usage : flow.uses) {
    const LinkShare& link = links[static_cast<std::size_t>(usage.link)];
    const std::int64_t coefficient = coefficient_of(usage.per_unit, flow.weight);
    const std::int64_t times = link.sharing == Sharing::shared ? usage.count : 1;
    level =
        std::min(level, level_when_full(capacity_among(link, usage.count), coefficient * times));
  }
  return rate_at(level, flow.weight, flow.bound);
}

void WaterFill::clear() {
  links_.clear();
  flows_.clear();
  uses_.clear();
}

std::int32_t WaterFill::add_link(const LinkShare& link) {
  assert(link.capacity >= 0.0);
  links_.push_back({.share = link});
  return static_cast<std::int32_t>(links_.size()) - 1;
}

void WaterFill::add_flow(double weight, double bound) {
  assert(weight > 0.0 && bound >= 0.0);
  flows_.push_back({weight, bound, bound / weight, static_cast<std::int32_t>(uses_.size()), false});
}

void WaterFill::add_use(std::int32_t link, const Usage& usage) {
  const std::int64_t coefficient = coefficient_of(usage.per_unit, flows_.back().weight);
  assert(usage.count > 0);
  uses_.push_back({link, coefficient, coefficient * usage.count});
  LinkState& state = links_[static_cast<std::size_t>(link)];
  state.rising += coefficient * usage.count;
  state.flows += usage.count;
  ++state.members_end;
}

std::span<const WaterFill::Use> WaterFill::uses_of(std::size_t flow) const {
  const auto begin = static_cast<std::size_t>(flows_[flow].uses_begin);
  const auto end = flow + 1 < flows_.size() ? static_cast<std::size_t>(flows_[flow + 1].uses_begin)
                                            : uses_.size();
  return std::span(uses_).subspan(begin, end - begin);
}

void WaterFill::list_members() {
  std::int32_t begin = 0;
  for (LinkState& link : links_) {
    const std::int32_t size = link.members_end;
    link.members_begin = link.members_end = begin;
    begin += size;
  }
  members_.resize(uses_.size());
  for (std::size_t flow = 0; flow < flows_.size(); ++flow)
    for (const Use& use : uses_of(flow)) {
      LinkState& link = links_[static_cast<std::size_t>(use.link)];
      members_[static_cast<std::size_t>(link.members_end++)] = {static_cast<std::int32_t>(flow),
                                                                use.coefficient};
    }
}

// Largest coefficient first: the first member not yet frozen says when the fat pipe is full.
void WaterFill::order_fat_pipes() {
  for (const LinkState& link : links_)
    if (link.share.sharing == Sharing::fat_pipe)
      std::sort(members_.begin() + link.members_begin, members_.begin() + link.members_end,
                [](const Member& left, const Member& right) {
                  return left.coefficient > right.coefficient;
                });
}

double WaterFill::level_of(LinkState& link) const {
  if (link.rising == 0) return infinite;
  if (link.share.sharing == Sharing::shared) return level_when_full(link.remaining, link.rising);
  while (
      flows_[static_cast<std::size_t>(members_[static_cast<std::size_t>(link.members_begin)].flow)]
          .frozen)
    ++link.members_begin;
  const Member& largest = members_[static_cast<std::size_t>(link.members_begin)];
  return level_when_full(link.remaining, largest.coefficient);
}

namespace {
constexpr auto later = [](const auto& left, const auto& right) { return left.level > right.level; };
}  // namespace

void WaterFill::fill_heap() {
  heap_.clear();
  for (std::size_t number = 0; number < links_.size(); ++number) {
    LinkState& link = links_[number];
    link.remaining = capacity_among(link.share, link.flows);
    link.level = level_of(link);
    if (link.level < infinite) heap_.push_back({link.level, static_cast<std::int32_t>(number)});
  }
  std::make_heap(heap_.begin(), heap_.end(), later);
}

void WaterFill::order_bounds() {
  bounded_.clear();
  for (std::size_t flow = 0; flow < flows_.size(); ++flow)
    if (flows_[flow].bound_level < infinite) bounded_.push_back(static_cast<std::int32_t>(flow));
  std::sort(bounded_.begin(), bounded_.end(), [this](std::int32_t left, std::int32_t right) {
    return flows_[static_cast<std::size_t>(left)].bound_level >
           flows_[static_cast<std::size_t>(right)].bound_level;
  });
}

// Levels only rise, so an entry that is too low is corrected when it comes to the top.
double WaterFill::next_level() {
  while (!heap_.empty()) {
    const double now = links_[static_cast<std::size_t>(heap_.front().link)].level;
    if (heap_.front().level == now) break;
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.back().level = now;
    if (now == infinite) {
      heap_.pop_back();
    } else {
      std::push_heap(heap_.begin(), heap_.end(), later);
    }
  }
  while (!bounded_.empty() && flows_[static_cast<std::size_t>(bounded_.back())].frozen)
    bounded_.pop_back();
  const double full = heap_.empty() ? infinite : heap_.front().level;
  const double bound =
      bounded_.empty() ? infinite : flows_[static_cast<std::size_t>(bounded_.back())].bound_level;
  return std::min(full, bound);
}

void WaterFill::freeze(std::int32_t flow, double level) {
  FlowState& state = flows_[static_cast<std::size_t>(flow)];
  if (state.frozen) return;
  state.frozen = true;
  --rising_;
  rates_[static_cast<std::size_t>(flow)] = rate_at(level, state.weight, state.bound);
  for (const Use& use : uses_of(static_cast<std::size_t>(flow))) {
    LinkState& link = links_[static_cast<std::size_t>(use.link)];
    if (link.frozen_now == 0) touched_.push_back(use.link);
    link.frozen_now += use.total;
  }
}

void WaterFill::freeze_links_at(double level) {
  while (!heap_.empty() && heap_.front().level == level) {
    const LinkState& link = links_[static_cast<std::size_t>(heap_.front().link)];
    std::pop_heap(heap_.begin(), heap_.end(), later);
    if (link.level != level) {  // an entry left too low
      heap_.back().level = link.level;
      std::push_heap(heap_.begin(), heap_.end(), later);
      continue;
    }
    heap_.pop_back();
    for (std::int32_t member = link.members_begin; member < link.members_end; ++member)
      freeze(members_[static_cast<std::size_t>(member)].flow, level);
  }
}

void WaterFill::freeze_bounds_at(double level) {
  while (!bounded_.empty() &&
         flows_[static_cast<std::size_t>(bounded_.back())].bound_level == level) {
    freeze(bounded_.back(), level);
    bounded_.pop_back();
  }
}

// One product and one difference per link and round: the order of flows leaves no trace.
void WaterFill::take_used_capacity(double level) {
  for (const std::int32_t number : touched_) {
    LinkState& link = links_[static_cast<std::size_t>(number)];
    if (link.share.sharing == Sharing::shared)
      link.remaining -= level * (static_cast<double>(link.frozen_now) / grid);
    link.rising -= link.frozen_now;
    link.frozen_now = 0;
    link.level = std::max(link.level, level_of(link));
  }
  touched_.clear();
}

std::span<const double> WaterFill::solve() {
  list_members();
  order_fat_pipes();
  fill_heap();
  order_bounds();
  rates_.assign(flows_.size(), infinite);
  rising_ = flows_.size();
  while (rising_ > 0) {
    const double level = next_level();
    if (level == infinite) break;  // neither bound nor full link: as fast as one likes
    freeze_links_at(level);
    freeze_bounds_at(level);
    take_used_capacity(level);
  }
  return rates_;
}

}  // namespace quintet
