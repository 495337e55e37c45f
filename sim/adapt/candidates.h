// The plans that a controller chooses from when links of a pipeline are slow (PipeMorph, arXiv
// 2504.19232 section 4): the order as it was or planned anew, sent as before or by delegates. Pure.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sim/adapt/pipeline_state.h"
#include "sim/base/result.h"
#include "sim/plan/plan.h"
#include "sim/topology/topology.h"

namespace quintet {

inline constexpr const char* as_planned = "as planned";  // the candidate that is `home` itself

struct Candidate {
  std::string name;  // "delegated, replanned for 50 % of the delay"
  Plan plan;
};

// What can be done besides the plan itself.
struct CandidateLimits {
  // The executor's, for each kind and direction; 0: it has none.
  int most_delegates = std::numeric_limits<int>::max();
};

// The threads that CPU ranks have for messages between stages, each way and of each kind, where a
// plan may come to delegate them: the plan's own; where it has none, 2 where they divide the
// micro-batches, else 1. Such threads take cores from those that compute.
int delegates_at_hand(const Plan& home);

// On machines with GPUs delegates are processes, started as they are needed; CPU ranks have those
// at hand.
CandidateLimits limits_of(const Plan& home, const Topology& topology);

// Why a plan has nothing to adapt: it has no links between stages. Nothing: it has.
std::optional<Error> not_adaptable(const Plan& home);

// Delegates per direction and kind such that none of them is the bottleneck: a stage makes a
// message in no less than its shorter pass, and a delegate lets go one in each `delay`. The
// smallest divisor of the micro-batches that suffices, or the largest within the limits.
int delegates_for(int micro_batches, const std::vector<StageTimes>& stages,
                  const CandidateLimits& limits = {});

// `home`: the plan of the job when all is well. `state`: its stages with the delays believed in.
// Those that change least are first: `home` itself; planned for the whole delay (algorithm 2) and
// for parts of it, which cascade less and warm up shorter; with the warm-up of `home`, only the
// rest planned (algorithm 3); then each of them by delegates, where there are any, the first of
// which is delegation alone. Where no link is late one
// replanned order stands for all. Schedules of one stage or of several pieces per stage are not
// planned anew.
std::vector<Candidate> candidates(const Plan& home, const PipelineState& state,
                                  const CandidateLimits& limits = {});

}  // namespace quintet
