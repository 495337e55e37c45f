#include "calibrate/probes/launch_probe.h"

#include <algorithm>

namespace quintet::calibrate {
namespace {

const ProbeRecord* shortest(const std::vector<ProbeRecord>& records) {
  const ProbeRecord* found = nullptr;
  for (const ProbeRecord& each : records)
    if (each.margins && (found == nullptr || each.step < found->step)) found = &each;
  return found;
}

int kernels_of(const Candidate& candidate) {
  int kernels = 0;
  for (const CountedOperator& each : candidate.operators) kernels += each.count * each.work.kernels;
  return kernels / world_size(candidate.probe.plan.parallelism);
}

}  // namespace

std::optional<Seconds> issue_time(const LaunchTimes& times) {
  constexpr double told = 1.1;
  if (times.kernels == 0 || times.eager < times.graph * told || times.eager <= times.around)
    return std::nullopt;
  return (times.eager - times.around) / static_cast<double>(times.kernels);
}

Result<std::optional<Seconds>> probed_issue_time(const std::vector<ProbeRecord>& records,
                                                 const std::vector<Candidate>& candidates,
                                                 const ProbePlace& place) {
  const ProbeRecord* const as_graph = shortest(records);
  if (as_graph == nullptr) return std::optional<Seconds>();
  const auto candidate =
      std::find_if(candidates.begin(), candidates.end(),
                   [&](const Candidate& each) { return each.probe.name == as_graph->probe; });
  if (candidate == candidates.end()) return std::optional<Seconds>();
  Probe probe = candidate->probe;
  probe.name += "-eager";
  probe.plan.name = probe.name;
  probe.plan.host_net.launch = Launch::eager;
  const Result<ProbeRecord> eager = run_probe(probe, {2, 10}, place);
  if (!eager) return eager.error();
  return issue_time(
      {eager->step, as_graph->step, as_graph->margins->around, kernels_of(*candidate)});
}

}  // namespace quintet::calibrate
