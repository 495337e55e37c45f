// What published schedulers decide of jobs that have their places already.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/jobs/alone.h"
#include "sim/jobs/job.h"

namespace quintet {

// Fails where a walk does.
Result<JobDecisions> decided_by(Policy policy, const JobsOnMachine& machine, JobDecisions decisions,
                                std::uint64_t seed);

// Steps of each job alone, with their traffic.
Result<std::vector<AloneJob>> alone_steps(const JobsOnMachine& machine,
                                          const JobDecisions& decisions);

struct TurnedBegins {
  JobDecisions free, paced;
  double drawn_out = 0;  // CommonCircle: of the paced ones
};

// None where no two jobs share a link. `steps`: those decisions' alone, with traffic.
std::optional<TurnedBegins> turned_begins(const JobDecisions& decisions,
                                          const std::vector<AloneJob>& steps, std::uint64_t seed);

// CASSINI's agents move steps by as much; paces that draw steps out by more are not used.
inline constexpr double most_drawn_out = 0.05;

}  // namespace quintet
