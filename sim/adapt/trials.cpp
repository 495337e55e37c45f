#include "sim/adapt/trials.h"

#include <cassert>
#include <cstddef>
#include <utility>

namespace quintet {

namespace {

bool as_late(const std::vector<Seconds>& one, const std::vector<Seconds>& other,
             const WatchRules& rules) {
  if (one.size() != other.size()) return false;
  for (std::size_t link = 0; link < one.size(); ++link)
    if (is_another_delay(one[link], other[link], rules)) return false;
  return true;
}

}  // namespace

Trials tried_on(Trials trials, Seconds step, const TrialRules& rules) {
  if (!trials.under_way) return trials;
  Trial& trial = *trials.under_way;
  const bool worse = step > (1 + rules.worse) * trial.step;
  trial.worse = worse ? trial.worse + 1 : 0;
  trial.as_good = worse ? 0 : trial.as_good + 1;
  if (trial.as_good >= rules.steps) trials.under_way.reset();
  return trials;
}

bool has_failed(const Trials& trials, const TrialRules& rules) {
  return trials.under_way && trials.under_way->worse >= rules.steps;
}

Trials gone_back(Trials trials) {
  assert(trials.under_way);
  Trial trial = *std::exchange(trials.under_way, std::nullopt);
  trials.refuted.push_back(
      {std::exchange(trials.running, trial.before.name), std::move(trial.delays)});
  return trials;
}

std::vector<std::string> refuted_for(const Trials& trials, const std::vector<Seconds>& delays,
                                     const WatchRules& rules) {
  std::vector<std::string> names;
  for (const Refuted& each : trials.refuted)
    if (as_late(each.delays, delays, rules)) names.push_back(each.name);
  return names;
}

}  // namespace quintet
