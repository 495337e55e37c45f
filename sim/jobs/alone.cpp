#include "sim/jobs/alone.h"

#include <algorithm>
#include <limits>

#include "sim/price/communications.h"
#include "sim/simulate/predict.h"

namespace quintet {

namespace {

// Spans of kernels; those of one rank never overlap.
Seconds mean_computing(const Timeline& timeline) {
  double sum = 0, ranks = 0;
  for (const Track& track : timeline.tracks) ranks += track.ranks;
  for (const Span& span : timeline.spans)
    if (timeline.infos[static_cast<std::size_t>(span.info)].kind == SpanKind::compute)
      sum += timeline.tracks[static_cast<std::size_t>(span.track)].ranks *
             seconds(span.end - span.start).value;
  return {ranks > 0 ? sum / ranks : 0.0};
}

}  // namespace

Result<AloneJob> alone(const JobsOnMachine& machine, const Job& job, const JobDecision& decision,
                       TrafficShown traffic) {
  const Plan plan = placed_plan(job, decision);
  const Communications all = communications(job.program, plan, machine.topology, machine.costs);
  PredictOptions options;
  options.traffic = traffic == TrafficShown::yes;
  Result<Execution> step =
      simulate_priced({job.program, plan, machine.costs, all}, machine.topology, options);
  if (!step) return step.error();
  AloneJob result{step->timeline.end - Instant{}, mean_computing(step->timeline), {}, {}, {}, {}};
  for (std::size_t link = 0; link < machine.topology.links.size(); ++link) {
    const std::int32_t load = step->load_of_link[link];
    result.carried.push_back({load < 0 ? 0.0 : step->loads[static_cast<std::size_t>(load)].bytes});
    result.capacities.push_back(all.links[link].capacity);
  }
  result.traffic = std::move(step->traffic);
  result.load_of_link = std::move(step->load_of_link);
  return result;
}

Seconds busiest_link_time(const AloneJob& job) {
  Seconds most;
  for (std::size_t link = 0; link < job.carried.size(); ++link)
    if (job.carried[link] > Bytes{})
      most = std::max(most, job.carried[link] / Bandwidth{job.capacities[link]});
  return most;
}

double gpu_intensity(const AloneJob& job, int gpus) {
  const Seconds link = busiest_link_time(job);
  if (!(link > Seconds{})) return std::numeric_limits<double>::infinity();
  return gpus * (job.computing / link);
}

}  // namespace quintet
