#include "sim/adapt/controller.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/plan/delivery.h"

namespace quintet {

namespace {

bool all_well(const std::vector<Seconds>& delays) {
  return std::all_of(delays.begin(), delays.end(),
                     [](Seconds delay) { return !(delay > Seconds{}); });
}

Adaptation back_home(const Plan& home, const Plan& running) {
  return {{}, home, !(home == running), "as planned", {}};
}

}  // namespace

SentBy sent_by(const Plan& plan) {
  const Delivery delivery = plan.host_net.pipeline_delivery.value_or(plan.host_net.delivery);
  return row_of(delivery).driver == Driver::delegates ? SentBy::delegates : SentBy::kernels;
}

// Times are those of the step that the plan is not changed for: stages compute as long whatever
// their links do.
PipelineState with_delays(PipelineState state, const LinkWatch& watch, SentBy by) {
  state.held.clear();
  for (std::size_t link = 0; link < watch.links.size(); ++link) {
    const WatchedLink& watched = watch.links[link];
    const Seconds usual = watched.usual[static_cast<std::size_t>(by)].value_or(Seconds{});
    const Seconds send =
        link < state.sends.size() ? state.sends[link].value_or(Seconds{}) : Seconds{};
    state.stages[link].delay = watched.delay;
    state.held.push_back(std::clamp(send - usual, Seconds{}, watched.delay));
  }
  return state;
}

Adaptation best_plan(const PipelineState& state, const Plan& home, const Plan& running,
                     const PredictStep& predict, const AdaptRules& rules) {
  Adaptation best{{}, running, false, "", {}};
  std::optional<Seconds> fastest;
  std::vector<Candidate> all = candidates(home, state, rules.candidates);
  for (Candidate& candidate : all) {
    const Result<Seconds> step = predict(candidate.plan, state);
    if (!step) continue;
    best.tried.push_back({candidate.name, *step});
    if (fastest && *step >= (1 - rules.margin) * *fastest) continue;
    fastest = *step;
    best.name = candidate.name;
    best.plan = std::move(candidate.plan);
  }
  const Result<Seconds> as_it_runs = predict(running, state);
  if (!fastest || (as_it_runs && *fastest >= (1 - rules.margin) * *as_it_runs)) {
    best.name.clear();
    best.plan = running;
  }
  best.changed = !(best.plan == running);
  return best;
}

Adaptation adapted(const LinkWatch& before, const Timeline& last, const Plan& home,
                   const Plan& running, const PredictStep& predict, const AdaptRules& rules) {
  const PipelineState seen = pipeline_state(last, home.parallelism.pipeline);
  const SentBy by = sent_by(running);
  LinkWatch watch = observed(before, seen.messages, by, rules.watch);
  const std::vector<Seconds> known = delays(before), now = delays(watch);
  Adaptation next{{}, running, false, "", {}};
  if (known != now)
    next = all_well(now) ? back_home(home, running)
                         : best_plan(with_delays(seen, watch, by), home, running, predict, rules);
  next.watch = std::move(watch);
  return next;
}

}  // namespace quintet
