#include "sim/simulate/shortened.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace quintet {

namespace {

std::int64_t tasks_of(const Program& program, const Script& script, int begin, int end) {
  std::int64_t tasks = 0;
  for (int number = begin; number < end; ++number) {
    const Call& call = script.calls[static_cast<std::size_t>(number)];
    const std::size_t each = program.bodies[call.body.index()].instructions.size();
    tasks += static_cast<std::int64_t>(each) * call.layers;
  }
  return tasks;
}

// How far a CPU may run ahead, in periods of the role that has the smallest.
int periods_ahead(const Program& program, const Repetition& repetition, const CostTable& costs) {
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t role = 0; role < program.roles.size(); ++role) {
    const RepeatedCalls& calls = repetition.roles[role];
    smallest = std::min(smallest, tasks_of(program, program.roles[role].script, calls.begin,
                                           calls.begin + calls.length));
  }
  int queue = 0;
  for (const CostTable* const table : all_tables(costs))
    queue = std::max(queue, table->launch.queue);
  return static_cast<int>(queue / std::max<std::int64_t>(1, smallest)) + 1;
}

// What must stay: until the pipeline is full and steady, the CPUs' queues have passed, and a state
// has come three times.
int periods_to_walk(int ahead) {
  constexpr int until_steady = 4, states = 3;
  return until_steady + states + 2 * ahead;
}

// A state may come again after several periods only, so many of which should be left out.
int whole_cycles(int periods) {
  for (const int cycle : {12, 6, 4, 2})
    if (periods >= 4 * cycle) return periods - periods % cycle;
  return periods;
}

int fewest_periods(const Repetition& repetition) {
  int fewest = std::numeric_limits<int>::max();
  for (const RepeatedCalls& calls : repetition.roles) fewest = std::min(fewest, calls.periods);
  return fewest;
}

}  // namespace

std::optional<Shortened> shortened(const Program& program, const Communications& all,
                                   const CostTable& costs) {
  if (!all.kernels.empty() || !all.copies.out.empty()) return std::nullopt;
  std::optional<Repetition> repeated = repetition(program);
  if (!repeated) return std::nullopt;
  const int fewest = fewest_periods(*repeated);
  const int periods =
      whole_cycles(fewest - periods_to_walk(periods_ahead(program, *repeated, costs)));
  constexpr double least_worth = 0.25;
  if (periods < least_worth * fewest) return std::nullopt;
  std::optional<Program> shorter = without_periods(program, *repeated, periods);
  if (!shorter) return std::nullopt;
  for (RepeatedCalls& calls : repeated->roles) calls.periods -= periods;
  return Shortened{std::move(*shorter), {std::move(*repeated), periods}};
}

}  // namespace quintet
