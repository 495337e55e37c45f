#include "sim/simulate/walk/movement.h"

#include <algorithm>
#include <utility>

namespace quintet {

void Movement::start(std::vector<std::int32_t> actors, const Transport& transport, Bytes size,
                     Seconds later, Done done) {
  double slower = 1;
  for (const std::int32_t actor : actors) {
    slower = std::max(slower, slowdown_on(actor, transport));
    kernels_.communication_begins(actor, transport);
  }
  MoveRequest request{transport.phases, size, transport.bound / slower, later + transport.latency,
                      nullptr};
  const Instant moving = events_.now() + duration(later);
  request.done = [this, actors, &transport, moving, done = std::move(done)] {
    for (const std::int32_t actor : actors) kernels_.communication_ends(actor, transport);
    done(moving);
  };
  if (!(transport.crowded > Seconds{})) {
    fabric_.start(std::move(request));
    return;
  }
  request.latency = later;
  const int steps = steps_of(transport.phases);
  take_steps(
      {steps, transport.latency / steps, transport.crowded, std::move(actors), std::move(request)});
}

double Movement::slowdown_on(std::int32_t actor, const Transport& transport) const {
  if (cpu_kernels_.busy(actor)) return costs_.overlap.communication_slowdown;
  const std::optional<ComputeClass> computing = kernels_.computing(actor);
  if (!computing) return 1;
  const auto moving = transport.busy_sms > 0 ? std::optional(transport.moves) : std::nullopt;
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
