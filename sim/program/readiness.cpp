#include "sim/program/readiness.h"

namespace quintet {

Readiness::Readiness(const TaskList& list, const InstructionTable& table)
    : list_(&list),
      table_(&table),
      waits_(list.waits),
      over_(list.tasks.size(), 0),
      unit_started_(list.units.size(), 0) {
  unit_waits_.reserve(list.units.size());
  unit_left_.reserve(list.units.size());
  for (const TaskList::Unit& unit : list.units) {
    unit_waits_.push_back(unit.waits);
    unit_left_.push_back(unit.tasks);
  }
  for (const std::vector<std::int32_t>& tasks : list.lanes)
    lanes_.push_back({tasks.data(), tasks.data() + tasks.size(), false});
  look_at_all();
}

std::optional<std::int32_t> Readiness::head(std::size_t lane) const {
  const Lane& asked = lanes_[lane];
  if (asked.head == asked.end) return std::nullopt;
  return *asked.head;
}

std::optional<std::int32_t> Readiness::running(std::size_t lane) const {
  const Lane& asked = lanes_[lane];
  if (!asked.busy) return std::nullopt;
  return *(asked.head - 1);
}

void Readiness::finish(std::int32_t number) {
  const Task& ended = task(number);
  over_[static_cast<std::size_t>(number)] = 1;
  ++finished_;
  lanes_[static_cast<std::size_t>(ended.lane)].busy = false;
  look_at(static_cast<std::size_t>(ended.lane));
  for (const std::int32_t further :
       table_->successors[static_cast<std::size_t>(ended.instruction)]) {
    const std::int32_t next = number + further;
    if (--waits_[static_cast<std::size_t>(next)] == 0)
      look_at(static_cast<std::size_t>(task(next).lane));
  }
  if (--unit_left_[static_cast<std::size_t>(ended.unit)] > 0) return;
  bool any_free = false;
  for (const std::int32_t next : list_->unit_of(number).successors)
    any_free |= --unit_waits_[static_cast<std::size_t>(next)] == 0;
  if (any_free) look_at_all();
}

bool Readiness::begins_unit(std::int32_t number) const {
  return unit_started_[static_cast<std::size_t>(task(number).unit)] == 0;
}

bool Readiness::ends_unit(std::int32_t number) const {
  return unit_left_[static_cast<std::size_t>(task(number).unit)] == 0;
}

}  // namespace quintet
