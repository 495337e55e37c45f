#include "sim/simulate/walk/actor.h"

#include <algorithm>

#include "sim/base/result.h"

namespace quintet {

namespace {

// Whether the CPU launches nothing more before the action is over.
bool holds_launches(const Action& action) {
  const auto* work = std::get_if<HostWork>(&action);
  if (!work) return false;
  switch (work->task) {
    case HostTask::data_loading:
    case HostTask::synchronise:
    case HostTask::checkpoint:
      return true;
    case HostTask::delegate_send:
    case HostTask::delegate_receive:
      return false;
  }
  return false;
}

}  // namespace

std::vector<Duration> issue_times(const InstructionTable& table, const LaunchCosts& launch,
                                  Launch mode) {
  const Seconds kernel = mode == Launch::eager ? launch.eager : launch.graph;
  const Seconds call = mode == Launch::eager ? launch.collective : launch.graph;
  std::vector<Duration> times;
  for (const Instruction* instruction : table.instructions)
    times.push_back(duration(std::visit(
        Match{[&](const Compute& compute) {
                const bool profiled = std::holds_alternative<ProfiledShape>(compute.work.shape);
                return profiled ? Seconds{} : kernel * compute.work.kernels;
              },
              [&](const Collective&) { return call; }, [&](const Send&) { return call; },
              [&](const Receive&) { return call; }, [&](const Copy&) { return kernel; },
              [](const HostWork&) { return Seconds{}; }},
        instruction->action)));
  return times;
}

Actor::Actor(const TaskList& list, const InstructionTable& table,
             const std::vector<Duration>& issue, const LaunchCosts& launch)
    : list_(&list),
      table_(&table),
      issue_(&issue),
      queue_(static_cast<std::size_t>(launch.queue)),
      over_(list.tasks.size(), 0),
      unit_waits_(list.unit_waits),
      unit_left_(list.unit_tasks),
      heads_(list.lanes.size(), 0),
      busy_(list.lanes.size(), 0),
      issued_(list.tasks.size()),
      cpu_(Instant{} + duration(launch.step)),
      finish_times_(list.tasks.size()) {
  for (const Task& each : list.tasks)
    waits_.push_back(table.waits[static_cast<std::size_t>(each.instruction)]);
  issue_ahead();
}

std::optional<std::int32_t> Actor::head(std::size_t lane) const {
  const std::vector<std::int32_t>& tasks = list_->lanes[lane];
  if (heads_[lane] == tasks.size()) return std::nullopt;
  return tasks[heads_[lane]];
}

std::optional<std::int32_t> Actor::running(std::size_t lane) const {
  if (!busy_[lane]) return std::nullopt;
  return list_->lanes[lane][heads_[lane] - 1];
}

bool Actor::startable(std::int32_t number) const {
  return waits_[static_cast<std::size_t>(number)] == 0 &&
         unit_waits_[static_cast<std::size_t>(task(number).unit)] == 0;
}

std::optional<std::int32_t> Actor::ready(std::size_t lane) const {
  if (busy_[lane]) return std::nullopt;
  const std::optional<std::int32_t> first = head(lane);
  return first && startable(*first) ? first : std::nullopt;
}

std::optional<Instant> Actor::issued(std::int32_t number) const {
  const auto index = static_cast<std::size_t>(number);
  if (index >= next_issue_) return std::nullopt;
  return issued_[index];
}

void Actor::start(std::int32_t number) {
  const auto lane = static_cast<std::size_t>(task(number).lane);
  ++heads_[lane];
  busy_[lane] = 1;
}

void Actor::finish(std::int32_t number, Instant now) {
  const auto index = static_cast<std::size_t>(number);
  over_[index] = 1;
  finish_times_[index] = now;
  ++finished_;
  busy_[static_cast<std::size_t>(task(number).lane)] = 0;
  for (const std::int32_t further :
       table_->successors[static_cast<std::size_t>(task(number).instruction)])
    --waits_[index + static_cast<std::size_t>(further)];
  finish_unit(task(number).unit);
  issue_ahead();
}

void Actor::finish_unit(std::int32_t unit) {
  const auto index = static_cast<std::size_t>(unit);
  if (--unit_left_[index] > 0) return;
  for (const std::int32_t successor : list_->unit_successors[index])
    --unit_waits_[static_cast<std::size_t>(successor)];
}

// When the CPU can turn to task `number`: after a blocking wait in front of it, and never more than
// `queue_` launches ahead of what has finished.
std::optional<Instant> Actor::cpu_free_for(std::size_t number) const {
  Instant free = cpu_;
  if (number > 0) {
    const auto before =
        static_cast<std::size_t>(task(static_cast<std::int32_t>(number - 1)).instruction);
    if (holds_launches(table_->instructions[before]->action)) {
      if (!over_[number - 1]) return std::nullopt;
      free = std::max(free, finish_times_[number - 1]);
    }
  }
  if (number >= queue_) {
    if (!over_[number - queue_]) return std::nullopt;
    free = std::max(free, finish_times_[number - queue_]);
  }
  return free;
}

void Actor::issue_ahead() {
  for (; next_issue_ < list_->tasks.size(); ++next_issue_) {
    const std::optional<Instant> free = cpu_free_for(next_issue_);
    if (!free) return;
    const auto instruction = static_cast<std::size_t>(list_->tasks[next_issue_].instruction);
    cpu_ = *free + (*issue_)[instruction];
    issued_[next_issue_] = cpu_;
  }
}

}  // namespace quintet
