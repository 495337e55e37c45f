#include "sim/adapt/controller.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace quintet {

namespace {

bool all_well(const std::vector<Seconds>& delays) {
  return std::all_of(delays.begin(), delays.end(),
                     [](Seconds delay) { return !(delay > Seconds{}); });
}

// Times are those of the step that the plan is not changed for: stages compute as long whatever
// their links do.
PipelineState with_delays(PipelineState state, const std::vector<Seconds>& delays) {
  for (std::size_t link = 0; link < delays.size(); ++link) state.stages[link].delay = delays[link];
  return state;
}

Adaptation back_home(const Plan& home, const Plan& running) {
  return {{}, home, !(home == running), "as planned", {}};
}

}  // namespace

Adaptation best_plan(const PipelineState& state, const Plan& home, const Plan& running,
                     const PredictStep& predict, double margin) {
  Adaptation best{{}, running, false, "", {}};
  std::optional<Seconds> fastest;
  std::vector<Candidate> all = candidates(home, state);
  for (Candidate& candidate : all) {
    const Result<Seconds> step = predict(candidate.plan, state);
    if (!step) continue;
    best.tried.push_back({candidate.name, *step});
    if (fastest && *fastest <= *step) continue;
    fastest = *step;
    best.name = candidate.name;
    best.plan = std::move(candidate.plan);
  }
  const Result<Seconds> as_it_runs = predict(running, state);
  if (!fastest || (as_it_runs && *fastest >= (1 - margin) * *as_it_runs)) {
    best.name.clear();
    best.plan = running;
  }
  best.changed = !(best.plan == running);
  return best;
}

Adaptation adapted(const LinkWatch& before, const Timeline& last, const Plan& home,
                   const Plan& running, const PredictStep& predict, const AdaptRules& rules) {
  const PipelineState seen = pipeline_state(last, home.parallelism.pipeline);
  LinkWatch watch = observed(before, seen.messages, rules.watch);
  const std::vector<Seconds> known = delays(before), now = delays(watch);
  Adaptation next{{}, running, false, "", {}};
  if (known != now)
    next = all_well(now) ? back_home(home, running)
                         : best_plan(with_delays(seen, now), home, running, predict, rules.margin);
  next.watch = std::move(watch);
  return next;
}

}  // namespace quintet
