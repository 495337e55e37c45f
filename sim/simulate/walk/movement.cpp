#include "sim/simulate/walk/movement.h"

#include <algorithm>
#include <utility>

namespace quintet {

void Movement::start(std::vector<std::int32_t> actors, const CommunicationPrice& price, Bytes size,
                     Seconds later, Done done) {
  double slower = 1;
  for (const std::int32_t actor : actors) {
    slower = std::max(slower, slowdown_on(actor, price));
    kernels_.communication_begins(actor, price);
  }
  MoveRequest request{price.phases, size, price.bound / slower, later + price.latency, nullptr};
  const Instant moving = events_.now() + duration(later);
  request.done = [this, actors, &price, moving, done = std::move(done)] {
    for (const std::int32_t actor : actors) kernels_.communication_ends(actor, price);
    done(moving);
  };
  if (!(price.crowded > Seconds{})) {
    fabric_.start(std::move(request));
    return;
  }
  request.latency = later;
  const int steps = steps_of(price.phases);
  take_steps({steps, price.latency / steps, price.crowded, std::move(actors), std::move(request)});
}

double Movement::slowdown_on(std::int32_t actor, const CommunicationPrice& price) const {
  if (cpu_kernels_.busy(actor)) return costs_.overlap.communication_slowdown;
  const std::optional<ComputeClass> computing = kernels_.computing(actor);
  if (!computing) return 1;
  const auto moving = price.busy_sms > 0 ? std::optional(price.moves) : std::nullopt;
  return communication_slowdown(moving, *computing, costs_);
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
