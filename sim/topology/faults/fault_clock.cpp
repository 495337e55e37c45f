#include "sim/topology/faults/fault_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace quintet {

FaultClock::FaultClock(std::span<const Fault> faults)
    : faults_(faults), holding_(faults.size(), false) {
  const auto add = [&](std::size_t fault, bool begins, const RunMoment& moment) {
    pending_.push_back({{fault, begins, moment.time}, moment, !moment.step.has_value()});
  };
  for (std::size_t fault = 0; fault < faults.size(); ++fault) {
    add(fault, true, faults[fault].begin);
    if (faults[fault].end) add(fault, false, *faults[fault].end);
  }
}

void FaultClock::begin_step(int step, Seconds now) {
  for (Pending& each : pending_) {
    if (each.known || *each.moment.step > step) continue;
    each.known = true;
    each.turn.due = now + each.moment.time;
  }
}

std::vector<FaultTurn> FaultClock::known() const {
  std::vector<FaultTurn> turns;
  for (const Pending& each : pending_)
    if (each.known) turns.push_back(each.turn);
  std::sort(turns.begin(), turns.end(), [](const FaultTurn& one, const FaultTurn& other) {
    return std::tuple(one.due.value, one.begins, one.fault) <
           std::tuple(other.due.value, other.begins, other.fault);
  });
  return turns;
}

std::vector<FaultTurn> FaultClock::advance(Seconds now) {
  std::vector<FaultTurn> turned;
  for (const FaultTurn& turn : known()) {
    if (turn.due > now) break;
    holding_[turn.fault] = turn.begins;
    turned.push_back(turn);
  }
  std::erase_if(pending_, [&](const Pending& each) { return each.known && each.turn.due <= now; });
  return turned;
}

std::vector<Fault> FaultClock::now_wrong() const {
  std::vector<Fault> wrong;
  for (std::size_t fault = 0; fault < faults_.size(); ++fault)
    if (holding_[fault]) wrong.push_back(faults_[fault]);
  return wrong;
}

std::string text(const FaultTurn& turn, std::span<const Fault> faults) {
  const Fault& fault = faults[turn.fault];
  if (turn.begins) return text(fault);
  return fmt::format("over: {}", text(fault));
}

}  // namespace quintet
