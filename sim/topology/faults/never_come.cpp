#include "sim/topology/faults/never_come.h"

#include <fmt/format.h>

#include "sim/base/quantity_text.h"

namespace quintet {

std::vector<std::string> never_come(const FaultPlan& faults, int steps,
                                    std::optional<Seconds> length) {
  if (faults.faults.empty()) return {"events is empty: nothing goes wrong"};
  std::vector<std::string> remarks;
  for (std::size_t at = 0; at < faults.faults.size(); ++at) {
    const RunMoment& begin = faults.faults[at].begin;
    const std::size_t event = at < faults.numbers.size() ? faults.numbers[at] : at;
    if (begin.step && *begin.step > steps)
      remarks.push_back(fmt::format("events[{}] is at step {}; the run ends at step {}", event,
                                    *begin.step, steps));
    if (!begin.step && length && begin.time >= *length)
      remarks.push_back(
          fmt::format("events[{}] is {} after the first step begins; the run ends "
                      "after {}",
                      event, rounded_text(begin.time), rounded_text(*length)));
  }
  return remarks;
}

}  // namespace quintet
