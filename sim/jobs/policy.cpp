#include "sim/jobs/policy.h"

#include <algorithm>

#include "sim/jobs/circle.h"
#include "sim/jobs/routes.h"

namespace quintet {

namespace {

constexpr int hashes = 6, tries = 6, bins_of_circle = 240, most_turns = 8;

Result<JobDecisions> by_crux(const JobsOnMachine& machine, JobDecisions decisions) {
  Result<JobDecisions> routed = least_full_routes(machine, std::move(decisions), hashes);
  if (!routed) return routed;
  const Result<std::vector<AloneJob>> steps = alone_steps(machine, *routed);
  if (!steps) return steps.error();
  return classes_by_intensity(machine, std::move(*routed), *steps);
}

Result<JobDecisions> by_cassini(const JobsOnMachine& machine, JobDecisions decisions,
                                std::uint64_t seed) {
  const Result<std::vector<AloneJob>> steps = alone_steps(machine, decisions);
  if (!steps) return steps.error();
  const std::optional<TurnedBegins> turned = turned_begins(decisions, *steps, seed);
  if (!turned) return decisions;
  return turned->drawn_out <= most_drawn_out ? turned->paced : turned->free;
}

}  // namespace

Result<std::vector<AloneJob>> alone_steps(const JobsOnMachine& machine,
                                          const JobDecisions& decisions) {
  std::vector<AloneJob> steps;
  for (std::size_t job = 0; job < decisions.size(); ++job) {
    Result<AloneJob> step = alone(machine, machine.jobs[job], decisions[job], TrafficShown::yes);
    if (!step) return step.error();
    steps.push_back(std::move(*step));
  }
  return steps;
}

std::optional<TurnedBegins> turned_begins(const JobDecisions& decisions,
                                          const std::vector<AloneJob>& steps, std::uint64_t seed) {
  std::vector<Seconds> times;
  for (const AloneJob& job : steps) times.push_back(seconds(job.step));
  const CommonCircle common = common_circle(times, most_turns);
  const Circle circle = circle_of(steps, common, bins_of_circle);
  if (circle.spot_weights.empty()) return std::nullopt;
  const Rotation rotation = best_rotation(circle, seed, tries);
  const Seconds bin = common.length / circle.bins;
  const int least = *std::min_element(rotation.bins.begin(), rotation.bins.end());
  TurnedBegins turned{decisions, {}, common.drawn_out};
  for (std::size_t job = 0; job < steps.size(); ++job)
    turned.free[job].offset = bin * (rotation.bins[job] - least);
  turned.paced = turned.free;
  for (std::size_t job = 0; job < steps.size(); ++job)
    turned.paced[job].pace = common.length / common.turns[job];
  return turned;
}

Result<JobDecisions> decided_by(Policy policy, const JobsOnMachine& machine, JobDecisions decisions,
                                std::uint64_t seed) {
  switch (policy) {
    case Policy::none:
      break;
    case Policy::crux:
      return by_crux(machine, std::move(decisions));
    case Policy::cassini:
      return by_cassini(machine, std::move(decisions), seed);
  }
  return decisions;
}

}  // namespace quintet
