#include "sim/adapt/controller.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/plan/delivery.h"

namespace quintet {

namespace {

// The first of the candidates, each of which has to be faster than those before by the margin.
struct Fastest {
  std::vector<Tried> tried;
  std::optional<Seconds> step;
  Candidate candidate;
};

Fastest fastest_of(std::vector<Candidate> all, const PipelineState& state,
                   const PredictStep& predict, double margin) {
  Fastest best;
  for (Candidate& candidate : all) {
    const Result<Seconds> step = predict(candidate.plan, state);
    if (!step) continue;
    best.tried.push_back({candidate.name, *step});
    if (best.step && *step >= (1 - margin) * *best.step) continue;
    best.step = *step;
    best.candidate = std::move(candidate);
  }
  return best;
}

bool has_delays(const PipelineState& state) {
  return std::any_of(state.stages.begin(), state.stages.end(),
                     [](const StageTimes& stage) { return stage.delay > Seconds{}; });
}

// While a link is late, what runs is left only for what is faster by the margin. When all are well
// it is kept only as a candidate: what was planned for a delay has lost its reason.
bool keeps(Seconds running, Seconds fastest, const PipelineState& state, double margin) {
  return has_delays(state) && fastest >= (1 - margin) * running;
}

// A job goes by the plan as given without a trial: it is left for reasons alone.
void take_note(Trials& trials, const Adaptation& next, const Plan& home, const Plan& running,
               Seconds step, const std::vector<Seconds>& late) {
  trials.under_way.reset();
  if (!next.changed) return;
  if (!(next.plan == home)) trials.under_way = Trial{{trials.running, running}, step, late};
  trials.running = next.name;
}

// What was left because links became well again is not what to go back to: then it is the plan as
// given.
Adaptation going_back(Believed believed, const Plan& home, Seconds step) {
  Trial& trial = *believed.trials.under_way;
  const std::vector<Seconds> late = delays(believed.watch);
  if (std::all_of(late.begin(), late.end(), [](Seconds each) { return each == Seconds{}; }))
    trial.before = {as_planned, home};
  Adaptation next{{}, trial.before.plan, true, trial.before.name, {}, {}};
  next.back = WentBack{believed.trials.running, trial.step, step};
  believed.trials = gone_back(std::move(believed.trials));
  next.believed = std::move(believed);
  return next;
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
                     const PredictStep& predict, const AdaptRules& rules,
                     const std::vector<std::string>& refuted) {
  std::vector<Candidate> all = candidates(home, state, rules.candidates);
  std::erase_if(all, [&](const Candidate& each) {
    return std::find(refuted.begin(), refuted.end(), each.name) != refuted.end();
  });
  const double margin = has_delays(state) ? rules.margin : rules.margin_when_well;
  Fastest fastest = fastest_of(std::move(all), state, predict, margin);
  Adaptation best{{}, running, false, "", std::move(fastest.tried), {}};
  if (!fastest.step) return best;
  const Result<Seconds> as_it_runs = predict(running, state);
  if (as_it_runs && keeps(*as_it_runs, *fastest.step, state, margin)) {
    if (running == home) best.name = as_planned;
    return best;
  }
  best.name = std::move(fastest.candidate.name);
  best.plan = std::move(fastest.candidate.plan);
  best.changed = !(best.plan == running);
  return best;
}

Adaptation adapted(const Believed& before, const Timeline& last, const Plan& home,
                   const Plan& running, const PredictStep& predict, const AdaptRules& rules) {
  const PipelineState seen = pipeline_state(last, home.parallelism.pipeline);
  const SentBy by = sent_by(running);
  const Seconds step = seconds(last.end);
  Believed now{observed(before.watch, seen.messages, by, rules.watch), before.trials};
  const std::vector<Seconds> known = delays(before.watch), late = delays(now.watch);
  if (known == late) {
    now.trials = tried_on(before.trials, step, rules.trials);
    if (has_failed(now.trials, rules.trials)) return going_back(std::move(now), home, step);
    return {std::move(now), running, false, "", {}, {}};
  }
  Adaptation next = best_plan(with_delays(seen, now.watch, by), home, running, predict, rules,
                              refuted_for(now.trials, late, rules.watch));
  take_note(now.trials, next, home, running, step, late);
  next.believed = std::move(now);
  return next;
}

}  // namespace quintet
