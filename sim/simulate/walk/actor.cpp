#include "sim/simulate/walk/actor.h"

#include <algorithm>
#include <bit>

#include "sim/base/result.h"
#include "sim/simulate/walk/head_of_line.h"

namespace quintet {

namespace {

// Whether the CPU launches nothing more before the action is over.
bool holds_launches(const Action& action, const HostNet& host_net) {
  if (const auto* send = std::get_if<Send>(&action)) return holds_launches(host_net, *send);
  const auto* work = std::get_if<HostWork>(&action);
  if (!work) return false;
  switch (work->kind) {
    case HostWorkKind::data_loading:
    case HostWorkKind::synchronise:
    case HostWorkKind::checkpoint:
      return true;
    case HostWorkKind::delegate_send:
    case HostWorkKind::delegate_receive:
      return false;
  }
  return false;
}

}  // namespace

std::vector<Issue> issues(const InstructionTable& table, const LaunchCosts& launch,
                          const HostNet& host_net) {
  const Launch mode = host_net.launch;
  const Seconds kernel = mode == Launch::eager ? launch.eager : launch.graph;
  const Seconds call = mode == Launch::eager ? launch.collective : launch.graph;
  std::vector<Issue> all;
  for (const Instruction* instruction : table.instructions) {
    const Seconds time = std::visit(
        Match{[&](const Compute& compute) {
                const bool profiled = std::holds_alternative<ProfiledShape>(compute.work.shape);
                return profiled ? Seconds{} : kernel * compute.work.kernels;
              },
              [&](const Collective&) { return call; }, [&](const Send&) { return call; },
              [&](const Receive&) { return call; }, [&](const Copy&) { return kernel; },
              [](const HostWork&) { return Seconds{}; }, [](const Recorded&) { return Seconds{}; }},
        instruction->action);
    all.push_back({duration(time), holds_launches(instruction->action, host_net)});
  }
  return all;
}

Actor::Actor(const TaskList& list, const InstructionTable& table, const std::vector<Issue>& issues,
             const LaunchCosts& launch, Instant begins)
    : readiness_(list, table),
      issues_(&issues),
      queue_(static_cast<std::size_t>(launch.queue)),
      kept_(std::min(list.tasks.size(), queue_) + 1),
      times_(std::bit_ceil(kept_)),
      cpu_(begins + duration(launch.step)) {
  issue_ahead();
}

void Actor::finish(std::int32_t number, Instant now) {
  if (const auto index = static_cast<std::size_t>(number); !forgotten(index))
    times_[slot(index)].finished = now;
  readiness_.finish(number);
  issue_ahead();
}

void Actor::let_go(std::int32_t number, Instant now) {
  let_go_ = number;
  let_go_at_ = now;
  issue_ahead();
}

void Actor::tell(Digest& digest, const SteadyTasks& steady, std::int64_t period,
                 Instant now) const {
  constexpr std::int64_t none = -1;
  const auto seen = [&](std::optional<std::int32_t> number) {
    return number ? steady.seen_from(period, *number) : none;
  };
  for (std::size_t lane = 0; lane < readiness_.lanes(); ++lane)
    digest.add(seen(readiness_.head(lane))).add(seen(readiness_.running(lane)));
  digest.add(seen(static_cast<std::int32_t>(next_issue_))).add(cpu_ - now);
  const std::size_t kept = std::min(kept_, next_issue_);
  for (std::size_t number = next_issue_ - kept; number < next_issue_; ++number) {
    const Times& times = times_[slot(number)];
    const bool over = readiness_.over(static_cast<std::int32_t>(number));
    digest.add(times.issued - now).add(over ? (times.finished - now).picoseconds : 0);
  }
}

// When the CPU can turn to task `number`: after a blocking wait in front of it, and never more than
// `queue_` launches ahead of what has finished.
std::optional<Instant> Actor::cpu_free_for(std::size_t number) const {
  Instant free = cpu_;
  // False while `earlier` is not over.
  const auto wait_for = [&](std::size_t earlier) {
    free = std::max(free, times_[slot(earlier)].finished);
    return readiness_.over(static_cast<std::int32_t>(earlier));
  };
  if (number > 0 && issue_of(number - 1).holds) {
    if (let_go_ == static_cast<std::int32_t>(number) - 1)
      free = std::max(free, let_go_at_);
    else if (!wait_for(number - 1))
      return std::nullopt;
  }
  if (number >= queue_ && !wait_for(number - queue_)) return std::nullopt;
  return free;
}

void Actor::issue_ahead() {
  const std::size_t tasks = readiness_.list().tasks.size();
  for (; next_issue_ < tasks; ++next_issue_) {
    const std::optional<Instant> free = cpu_free_for(next_issue_);
    if (!free) return;
    cpu_ = *free + issue_of(next_issue_).time;
    times_[slot(next_issue_)] = {cpu_, {}};
  }
}

}  // namespace quintet
