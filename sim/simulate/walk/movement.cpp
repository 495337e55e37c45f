#include "sim/simulate/walk/movement.h"

#include <algorithm>
#include <utility>

#include "sim/base/digest.h"

namespace quintet {

std::size_t Movement::free_number() {
  if (free_.empty()) {
    moving_.emplace_back();
    return moving_.size() - 1;
  }
  const std::size_t number = free_.back();
  free_.pop_back();
  return number;
}

void Movement::start(std::span<const std::int32_t> actors, const FoldedPrice& folded, Bytes size,
                     Seconds later, Done done) {
  const CommunicationPrice& price = folded.price;
  double slower = 1;
  for (const std::int32_t actor : actors) {
    slower = std::max(slower, slowdown_on(actor, price));
    kernels_.communication_begins(actor, price);
  }
  const std::size_t number = free_number();
  Moving& fresh = moving_[number];
  fresh.actors.assign(actors.begin(), actors.end());
  fresh.price = &price;
  fresh.since = events_.now() + duration(later);
  fresh.done = std::move(done);
  fresh.folded = &folded;
  fresh.bytes = size.value;
  fresh.began = events_.now();
  MoveRequest request{.phases = price.phases,
                      .whole = folded.whole,
                      .presumed_slack = folded.slack,
                      .size = size,
                      .bound = std::min(price.bound / slower, folded.alone),
                      .latency = later + price.latency,
                      .undisturbed = folded.undisturbed,
                      .done = [this, number] { arrive(number); }};
  if (!(price.crowded > Seconds{})) {
    fabric_.start(std::move(request));
    return;
  }
  request.latency = later;
  const int steps = steps_of(price.phases);
  take_steps({steps, price.latency / steps, price.crowded, fresh.actors, std::move(request)});
}

void Movement::arrive(std::size_t number) {
  Moving& arrived = moving_[number];
  for (const std::int32_t actor : arrived.actors)
    kernels_.communication_ends(actor, *arrived.price);
  const Instant since = arrived.since;
  if (notes_ != nullptr)
    notes_->push_back({static_cast<std::int32_t>(arrived.folded - world_->prices.data()),
                       arrived.bytes, arrived.began, since, events_.now()});
  const Done done = std::exchange(arrived.done, nullptr);
  free_.push_back(number);
  done(since);
}

std::uint64_t Movement::state() const {
  std::uint64_t sum = 0;
  for (const Moving& moving : moving_) {
    if (!moving.done) continue;
    Digest digest;
    digest.add(reinterpret_cast<std::uintptr_t>(moving.price)).add(moving.since - events_.now());
    for (const std::int32_t actor : moving.actors) digest.add(actor);
    sum += digest.value();
  }
  return sum;
}

double Movement::slowdown_on(std::int32_t actor, const CommunicationPrice& price) const {
  if (cpu_kernels_.busy(actor)) return costs_.overlap.communication_slowdown;
  const std::optional<ComputeClass> computing = kernels_.computing(actor);
  if (!computing) return 1;
  const auto moving = price.busy_sms > 0 ? std::optional(price.moves) : std::nullopt;
  return communication_slowdown(moving, *computing, kernels_.costs(actor));
}

// Each step of messages takes longer while all cores compute. Whether they do is known when all
// that happens at this instant has happened: it must not depend on the order of ranks.
void Movement::take_steps(Steps steps) {
  if (steps.left == 0) {
    fabric_.start(std::move(steps.then));
    return;
  }
  const auto step = [this, steps = std::move(steps)]() mutable {
    const bool crowded = std::any_of(
        steps.actors.begin(), steps.actors.end(),
        [&](std::int32_t actor) { return cpu_kernels_.has(actor) && cpu_kernels_.crowded(actor); });
    const Seconds time = steps.each + (crowded ? steps.longer : Seconds{});
    --steps.left;
    events_.after(duration(time), [this, steps = std::move(steps)] { take_steps(steps); });
  };
  events_.at(events_.now(), step, EventClass::settle);
}

}  // namespace quintet
