// The controller that adapts a pipeline to slow links between steps (PipeMorph, arXiv 2504.19232
// section 4), as one pure function for both executors: the last Timeline and what was believed
// before it go in, what is believed now and the plan of the next step come out.
//
// Predictions may be wrong: a plan whose steps turn out longer than those before it is left again
// (trials.h).
//
// Unlike the paper's rule, which replans whenever equation 1 is violated and can so be slower than
// delegation alone, each candidate is simulated and the fastest is taken.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/adapt/candidates.h"
#include "sim/adapt/link_watch.h"
#include "sim/adapt/pipeline_state.h"
#include "sim/adapt/trials.h"
#include "sim/base/result.h"
#include "sim/plan/plan.h"
#include "sim/timeline/timeline.h"

namespace quintet {

// What a step of the plan takes with stages that take so long and links that are so late. The
// simulator's is in sim/simulate/adapted_step.h; a plan that does not fit is an error and no
// candidate.
using PredictStep = std::function<Result<Seconds>(const Plan&, const PipelineState&)>;

struct AdaptRules {
  WatchRules watch;
  CandidateLimits candidates;
  // Another plan is taken only if it is predicted to be faster by more than this share: than what
  // runs while a link is late, and than candidates that change less, `home` being the first.
  double margin = 0.005;
  // The same when no link is late. Nothing but what passes took in one step speaks for another plan
  // then, and that varies: four stages of a tiny model on shared cores told of 8 % that were not
  // there.
  double margin_when_well = 0.1;
  TrialRules trials{};
};

// What is known from step to step: of links, and of the plan that was changed to last.
struct Believed {
  LinkWatch watch;
  Trials trials{};
};

// A plan was slower than the one before it, which is gone back to.
struct WentBack {
  std::string from;       // the candidate's name
  Seconds before, after;  // the last step before the change to it, and its own last
};

struct Tried {
  std::string name;
  Seconds step;
  bool operator==(const Tried&) const = default;
};

struct Adaptation {
  Believed believed;         // for the next call
  Plan plan;                 // of the next step
  bool changed = false;      // it is another than the last step's
  std::string name;          // of the candidate, "" where none was tried
  std::vector<Tried> tried;  // all that fit, in their order; empty where nothing new is believed
  std::optional<WentBack> back{};
};

// `home`: the plan as given. Candidates are tried whenever another delay is believed in, also when
// all links are well again: then `home` is returned to unless a candidate is much faster.
// `running`: the plan that the timeline is of, which is left for the one before it, or for `home`
// where no link is late any more, where its steps are longer.
Adaptation adapted(const Believed& before, const Timeline& last, const Plan& home,
                   const Plan& running, const PredictStep& predict, const AdaptRules& rules = {});

// The choice alone, for delays that are known; not of candidates with these names.
Adaptation best_plan(const PipelineState& state, const Plan& home, const Plan& running,
                     const PredictStep& predict, const AdaptRules& rules = {},
                     const std::vector<std::string>& refuted = {});

// Who sends between this plan's stages.
SentBy sent_by(const Plan& plan);

// Stages as late as is believed; what their sends took beyond the usual they were held for.
PipelineState with_delays(PipelineState state, const LinkWatch& watch, SentBy by);

}  // namespace quintet
