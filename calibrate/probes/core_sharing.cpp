#include "calibrate/probes/core_sharing.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace quintet::calibrate {
namespace {

using namespace literals;

std::optional<Error> fit_usable(const StepsBy& steps_by, CostTable& table) {
  constexpr int enough = 4;
  constexpr double close = 0.005, least = 0.6;
  double& usable = table.processors->usable;
  for (int time = 0; time < enough; ++time) {
    const Result<std::vector<WholeStep>> steps = steps_by(table);
    if (!steps) return steps.error();
    if (steps->empty()) break;
    const double ratio = proven_ratio(*steps);
    const double next = std::clamp(usable / ratio, least, 1.0);
    if (std::abs(ratio - 1) < close || next == usable) break;
    usable = next;
  }
  return std::nullopt;
}

// Keeps the spread that is best so far.
class Search {
 public:
  Search(const StepsBy& steps_by, CostTable& table) : steps_by_(steps_by), table_(table) {}

  std::optional<Error> attempt(ArrivalSpread spread) {
    constexpr double better = 0.97;
    CostTable tried = table_;
    tried.processors->arrival_spread = spread;
    const Result<std::vector<WholeStep>> steps = steps_by_(tried);
    if (!steps) return steps.error();
    const Seconds off = time_off(*steps);
    if (!(off < better * least_)) return std::nullopt;
    least_ = off;
    table_.processors->arrival_spread = spread;
    return std::nullopt;
  }

 private:
  const StepsBy& steps_by_;
  CostTable& table_;
  Seconds least_{std::numeric_limits<double>::infinity()};
};

}  // namespace

std::optional<Error> fit_core_sharing(const StepsBy& steps_by, CostTable& table) {
  assert(table.processors);
  if (auto error = fit_usable(steps_by, table)) return error;
  constexpr double typical = 0.3;
  Search search(steps_by, table);
  if (auto error = search.attempt({})) return error;
  for (const Seconds most : {0.5_ms, 1_ms, 2_ms, 4_ms, 8_ms})
    if (auto error = search.attempt({typical, most})) return error;
  const Seconds most = table.processors->arrival_spread.most;
  for (const double share : {0.1, 0.2, 0.4, 0.5})
    if (auto error = search.attempt({share, most})) return error;
  return std::nullopt;
}

}  // namespace quintet::calibrate
