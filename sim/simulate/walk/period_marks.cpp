#include "sim/simulate/walk/period_marks.h"

#include <algorithm>

#include "sim/base/digest.h"

namespace quintet {

PeriodMarks::PeriodMarks(const WalkState& walk, const std::vector<TaskList>& lists,
                         const PeriodsLeftOut& left_out)
    : walk_(walk), micro_batches_(left_out.rest.micro_batches), recurrence_(left_out) {
  for (std::size_t role = 0; role < lists.size(); ++role)
    steady_.push_back(steady_tasks(lists[role], left_out.rest.roles[role]));
}

// A period begins when the first of its tasks is done.
void PeriodMarks::done(std::int32_t task) {
  const SteadyTasks& part = steady(0);
  if (recurrence_.found() || task < part.begin || task >= part.end) return;
  if ((task - part.begin) % part.length == 0) mark((task - part.begin) / part.length);
}

// When all of this instant has happened; before anybody looks at what comes after the steady part.
void PeriodMarks::mark(std::int64_t period) {
  if (walk_.events.more_now()) {
    walk_.events.at(
        walk_.events.now(), [this, period] { mark(period); }, EventClass::settle);
    return;
  }
  const std::optional<std::uint64_t> moving = walk_.fabric.state();
  if (!moving || !all_within()) return;
  recurrence_.add(
      {walk_.events.now(), *moving + state(period), walk_.moves, walk_.mailboxes.sent()});
}

bool PeriodMarks::all_within() const {
  for (std::size_t actor = 0; actor < walk_.actors.size(); ++actor)
    if (!walk_.actors[actor].within(steady(actor))) return false;
  return true;
}

std::uint64_t PeriodMarks::state(std::int64_t period) const {
  const Instant now = walk_.events.now();
  const auto seen = [&](const Waiting& waiting) {
    const SteadyTasks& part = steady(static_cast<std::size_t>(waiting.actor));
    const std::int64_t task = part.seen_from(period, waiting.task);
    return Digest{}.add(waiting.actor).add(task).add(waiting.since - now).value();
  };
  const int micro_batch = static_cast<int>(period) * micro_batches_;
  std::uint64_t sum = walk_.events.state() + walk_.movement.state() + walk_.meetings.state(seen) +
                      walk_.mailboxes.state(micro_batch, now, seen);
  for (std::size_t actor = 0; actor < walk_.actors.size(); ++actor)
    sum += state_of_actor(actor, period);
  return sum;
}

std::uint64_t PeriodMarks::state_of_actor(std::size_t actor, std::int64_t period) const {
  const Instant now = walk_.events.now();
  const Actor& each = walk_.actors[actor];
  Digest digest;
  digest.add(static_cast<std::int64_t>(actor));
  each.tell(digest, steady(actor), period, now);
  walk_.kernels.tell(digest, static_cast<std::int32_t>(actor));
  for (std::size_t lane = 0; lane < walk_.begun[actor].size(); ++lane)
    digest.add(each.readiness().running(lane) ? walk_.begun[actor][lane] - now : Duration{})
        .add(std::max(walk_.woken[actor][lane] - now, Duration{}));
  return digest.value();
}

}  // namespace quintet
