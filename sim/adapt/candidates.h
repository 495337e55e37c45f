// The plans that a controller chooses from when links of a pipeline are slow (PipeMorph, arXiv
// 2504.19232 section 4): the order as it was or planned anew, sent as before or by delegates. Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/adapt/pipeline_state.h"
#include "sim/plan/plan.h"

namespace quintet {

struct Candidate {
  std::string name;  // "delegated, replanned for 50 % of the delay"
  Plan plan;
};

// Delegates per direction and kind such that none of them is the bottleneck: a stage makes a
// message in no less than its shorter pass, and a delegate lets go one in each `delay`. The
// smallest divisor of the micro-batches that suffices, or all of them.
int delegates_for(int micro_batches, const std::vector<StageTimes>& stages);

// `home`: the plan of the job when all is well. `state`: its stages with the delays believed in.
// The first is `home` itself, the second delegation alone. The others are planned for the whole
// delay (algorithm 2) and for parts of it, which cascade less and warm up shorter; or keep the
// warm-up of `home` and plan only the rest (algorithm 3). Schedules of one stage or of several
// pieces per stage are not planned anew.
std::vector<Candidate> candidates(const Plan& home, const PipelineState& state);

}  // namespace quintet
