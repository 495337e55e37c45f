#include "engine/executor/follow_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/parameters/flat_units.h"

namespace quintet::engine {

namespace {

// All that orders passes; what else a plan says decides what a rank keeps and computes.
Plan without_order(Plan plan) {
  Parallelism& parallelism = plan.parallelism;
  parallelism.schedule = {};
  parallelism.warm_ups.clear();
  parallelism.stage_times.clear();
  parallelism.split_backward = false;
  plan.host_net = {};
  plan.name.clear();
  return plan;
}

// Parts of the flat parameters that collectives and updates work on, without their order.
using Ranges = std::vector<std::tuple<BodyKind, std::int64_t, std::int64_t>>;

Ranges ranges_of(const Program& program, const Script& script) {
  Ranges ranges;
  for (const Call& call : script.calls)
    for (const ElementRange& range : call.elements)
      ranges.emplace_back(program.bodies[call.body.index()].kind, range.begin, range.end);
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

bool leaves_gradients_alike(const PlannedProgram& now, const PlannedProgram& next) {
  for (std::size_t role = 0; role < now.program.roles.size(); ++role) {
    const Script& here = now.program.roles[role].script;
    const Script& there = next.program.roles[role].script;
    if (leave_repeatedly(now.program, here) != leave_repeatedly(next.program, there) ||
        clipped_share(now.program, here) != clipped_share(next.program, there) ||
        ranges_of(now.program, here) != ranges_of(next.program, there))
      return false;
  }
  return true;
}

}  // namespace

std::optional<Error> not_alike(const PlannedProgram& now, const PlannedProgram& next) {
  if (!(without_order(now.plan) == without_order(next.plan)))
    return Error{"plan", "differs in more than schedule and host_net from the one that runs"};
  const bool same = now.program.grid == next.program.grid &&
                    now.program.communicators == next.program.communicators &&
                    now.program.roles.size() == next.program.roles.size();
  if (!same || !leaves_gradients_alike(now, next))
    return Error{"plan: parallelism.schedule",
                 fmt::format("{} lets gradients leave otherwise than {}, which runs",
                             name_of(next.plan.parallelism.schedule),
                             name_of(now.plan.parallelism.schedule))};
  return std::nullopt;
}

void replace(Program& now, Program next) {
  now.grid = std::move(next.grid);
  now.lanes = std::move(next.lanes);
  now.communicators = std::move(next.communicators);
  now.bodies = std::move(next.bodies);
  for (std::size_t role = 0; role < now.roles.size(); ++role)
    now.roles[role] = std::move(next.roles[role]);
}

}  // namespace quintet::engine
