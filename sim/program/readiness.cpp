#include "sim/program/readiness.h"

namespace quintet {

Readiness::Readiness(const TaskList& list, const InstructionTable& table)
    : list_(&list),
      table_(&table),
      waits_(list.waits),
      over_(list.tasks.size(), 0),
      unit_started_(list.units.size(), 0),
      heads_(list.lanes.size(), 0),
      busy_(list.lanes.size(), 0) {
  for (const TaskList::Unit& unit : list.units) {
    unit_waits_.push_back(unit.waits);
    unit_left_.push_back(unit.tasks);
  }
}

std::optional<std::int32_t> Readiness::head(std::size_t lane) const {
  const std::vector<std::int32_t>& tasks = list_->lanes[lane];
  if (heads_[lane] == tasks.size()) return std::nullopt;
  return tasks[heads_[lane]];
}

std::optional<std::int32_t> Readiness::running(std::size_t lane) const {
  if (busy_[lane] == 0) return std::nullopt;
  return list_->lanes[lane][heads_[lane] - 1];
}

std::optional<std::int32_t> Readiness::ready(std::size_t lane) const {
  const std::vector<std::int32_t>& tasks = list_->lanes[lane];
  if (busy_[lane] != 0 || heads_[lane] == tasks.size()) return std::nullopt;
  const std::int32_t first = tasks[heads_[lane]];
  if (waits_[static_cast<std::size_t>(first)] > 0) return std::nullopt;
  if (unit_waits_[static_cast<std::size_t>(task(first).unit)] > 0) return std::nullopt;
  return first;
}

void Readiness::start(std::int32_t number) {
  const auto lane = static_cast<std::size_t>(task(number).lane);
  ++heads_[lane];
  busy_[lane] = 1;
  unit_started_[static_cast<std::size_t>(task(number).unit)] = 1;
}

void Readiness::finish(std::int32_t number) {
  const Task& ended = task(number);
  over_[static_cast<std::size_t>(number)] = 1;
  ++finished_;
  busy_[static_cast<std::size_t>(ended.lane)] = 0;
  for (const std::int32_t further : table_->successors[static_cast<std::size_t>(ended.instruction)])
    --waits_[static_cast<std::size_t>(number + further)];
  if (--unit_left_[static_cast<std::size_t>(ended.unit)] > 0) return;
  for (const std::int32_t next : list_->unit_of(number).successors)
    --unit_waits_[static_cast<std::size_t>(next)];
}

bool Readiness::begins_unit(std::int32_t number) const {
  return unit_started_[static_cast<std::size_t>(task(number).unit)] == 0;
}

bool Readiness::ends_unit(std::int32_t number) const {
  return unit_left_[static_cast<std::size_t>(task(number).unit)] == 0;
}

}  // namespace quintet
