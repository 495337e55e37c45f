// What a job's step is when it has the machine to itself: its time, how much of it GPUs compute,
// and when it loads which links.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/result.h"
#include "sim/jobs/job.h"
#include "sim/simulate/walk/link_traffic.h"

namespace quintet {

struct AloneJob {
  Duration step;
  Seconds computing;               // of the step, on average over its GPUs: kernels run
  std::vector<Bytes> carried;      // per link of the topology, in a step
  std::vector<double> capacities;  // per link, of payload
  // In detail, where it was asked for: sim/simulate/walk/link_traffic.h.
  LinkTraffic traffic;
  std::vector<std::int32_t> load_of_link;
};

enum class TrafficShown { no, yes };

// In these places. Fails where a walk does.
Result<AloneJob> alone(const JobsOnMachine& machine, const Job& job, const JobDecision& decision,
                       TrafficShown traffic = TrafficShown::no);

// How long the fullest link is busy with a step's bytes: t_j of Crux (SIGCOMM 2024, equation 2).
Seconds busiest_link_time(const AloneJob& job);

// Crux's GPU intensity: computation of all GPUs in a step over busiest_link_time, here in seconds
// of GPUs; infinite where nothing is carried.
double gpu_intensity(const AloneJob& job, int gpus);

}  // namespace quintet
