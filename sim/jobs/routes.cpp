#include "sim/jobs/routes.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace quintet {

namespace {

// The share of time that a job wants of each link.
std::vector<double> wanted_of_links(const AloneJob& job) {
  std::vector<double> wanted;
  for (std::size_t link = 0; link < job.carried.size(); ++link)
    wanted.push_back(job.carried[link].value / (job.capacities[link] * seconds(job.step).value));
  return wanted;
}

struct Fullness {
  double fullest = 0;  // of links that the job loads, with the others
  double squares = 0;
  auto operator<=>(const Fullness&) const = default;
};

Fullness fullness(const std::vector<double>& taken, const std::vector<double>& wanted) {
  Fullness found;
  for (std::size_t link = 0; link < taken.size(); ++link) {
    if (wanted[link] <= 0) continue;
    const double all = taken[link] + wanted[link];
    found.fullest = std::max(found.fullest, all);
    found.squares += all * all - wanted[link] * wanted[link];
  }
  return found;
}

std::vector<JobDecision> ways(const JobDecision& planned, int seeds) {
  std::vector<JobDecision> all{planned};
  const auto add = [&](Routing routing, std::uint64_t seed) {
    JobDecision way = planned;
    way.routing = routing;
    way.hash_seed = seed;
    if (std::find(all.begin(), all.end(), way) == all.end()) all.push_back(way);
  };
  add(Routing::rail_pinned, planned.hash_seed);
  for (int seed = 1; seed <= seeds; ++seed) add(Routing::ecmp, static_cast<std::uint64_t>(seed));
  return all;
}

}  // namespace

std::vector<std::size_t> by_intensity(const JobsOnMachine& machine,
                                      const std::vector<AloneJob>& alone) {
  std::vector<double> intensities;
  for (std::size_t job = 0; job < alone.size(); ++job) {
    const JobEntry& entry = machine.jobs[job].entry;
    intensities.push_back(gpu_intensity(alone[job], entry.hosts * entry.gpus_per_host));
  }
  std::vector<std::size_t> order(alone.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    return intensities[one] > intensities[other];
  });
  return order;
}

Result<JobDecisions> least_full_routes(const JobsOnMachine& machine, JobDecisions decisions,
                                       int seeds) {
  std::vector<AloneJob> planned;
  for (std::size_t job = 0; job < decisions.size(); ++job) {
    Result<AloneJob> step = alone(machine, machine.jobs[job], decisions[job]);
    if (!step) return step.error();
    planned.push_back(std::move(*step));
  }
  std::vector<double> taken(machine.topology.links.size(), 0.0);
  for (const std::size_t job : by_intensity(machine, planned)) {
    std::optional<std::pair<Fullness, std::vector<double>>> best;
    for (const JobDecision& way : ways(decisions[job], seeds)) {
      const Result<AloneJob> step = alone(machine, machine.jobs[job], way);
      if (!step) return step.error();
      std::vector<double> wanted = wanted_of_links(*step);
      const Fullness full = fullness(taken, wanted);
      if (best && !(full < best->first)) continue;
      best = {full, std::move(wanted)};
      decisions[job] = way;
    }
    for (std::size_t link = 0; link < taken.size(); ++link) taken[link] += best->second[link];
  }
  return decisions;
}

JobDecisions classes_by_intensity(const JobsOnMachine& machine, JobDecisions decisions,
                                  const std::vector<AloneJob>& alone) {
  constexpr int highest = 7;
  int priority = std::min(highest, static_cast<int>(decisions.size()) - 1);
  for (const std::size_t job : by_intensity(machine, alone))
    decisions[job].traffic = {std::max(0, priority--), 1.0};
  return decisions;
}

}  // namespace quintet
