#include "sim/search/objective.h"

#include <algorithm>
#include <cmath>

#include "sim/training_run/training_run.h"

namespace quintet {
namespace {

StepSummary summary_of(const StepNumbers& numbers, Seconds step, Seconds compute) {
  RankBreakdown mean;
  const auto picoseconds = [](Seconds time) {
    return Duration{static_cast<std::int64_t>(std::llround(time.value * 1e12))};
  };
  mean.step = picoseconds(step);
  mean.compute = picoseconds(compute);
  StepSummary summary = step_summary(mean, numbers);
  summary.step = step;
  return summary;
}

Money money_of_step(const Bill& bill, const StepNumbers& numbers, const StepSummary& summary) {
  StepUse use{summary.step, numbers.gpus, std::max(numbers.hosts, 1), summary.power, {}};
  use.rated =
      numbers.gpus * numbers.gpu_power + numbers.hosts * numbers.host_power + numbers.network_power;
  return money_of(bill, use);
}

// Without evaluations: what they take is not known before the plan is walked.
Seconds run_time(const WorthBase& base, const StepSummary& summary) {
  RunParts parts;
  parts.tokens_per_step = std::max<std::int64_t>(base.numbers.tokens, 1);
  parts.samples_per_step = base.samples;
  parts.step = summary;
  parts.how = base.run;
  parts.how.evaluation = {};
  parts.state = base.state;
  return training_run(*base.wanted.run, parts).time;
}

double judged(Objective objective, const Worth& worth, Seconds step, double tokens) {
  switch (objective) {
    case Objective::step:
      return step.value;
    case Objective::speed:
      return step.value / tokens;
    case Objective::money:
      return worth.step_money.value / tokens;
    case Objective::energy:
      return worth.energy.value / tokens;
  }
  return step.value;
}

bool is_within(const Limits& limits, const Worth& worth, const std::optional<Bill>& bill) {
  if (limits.machine && bill && bought(*bill).usual > *limits.machine) return false;
  if (limits.hour && worth.hour_money > *limits.hour) return false;
  if (limits.run && worth.run_money > *limits.run) return false;
  return !limits.deadline || worth.run <= *limits.deadline;
}

}  // namespace

std::string_view name_of(Objective objective) {
  switch (objective) {
    case Objective::step:
      return "step";
    case Objective::speed:
      return "speed";
    case Objective::money:
      return "money";
    case Objective::energy:
      return "energy";
  }
  return {};
}

std::string_view name_of(Pay pay) {
  switch (pay) {
    case Pay::owned:
      return "owned";
    case Pay::rented:
      return "rented";
  }
  return {};
}

bool needs_bill(const Wanted& wanted) {
  const Limits& limits = wanted.limits;
  return wanted.objective == Objective::money || limits.machine || limits.hour || limits.run;
}

Worth worth_of(const WorthBase& base, Seconds step, Seconds compute) {
  Worth worth;
  const StepSummary summary = summary_of(base.numbers, step, compute);
  worth.energy = summary.energy;
  if (base.wanted.run) worth.run = run_time(base, summary);
  if (base.bill) {
    const Money money = money_of_step(*base.bill, base.numbers, summary);
    const bool owns = base.wanted.pay == Pay::owned;
    worth.hour_money = (owns ? money.owned : money.rented).usual;
    worth.step_money = (owns ? money.owned_step : money.rented_step).usual;
    worth.run_money = (owns ? owned(money, worth.run) : rented(money, worth.run)).usual;
  }
  const auto tokens = static_cast<double>(std::max<std::int64_t>(base.numbers.tokens, 1));
  worth.objective = judged(base.wanted.objective, worth, step, tokens);
  worth.within = is_within(base.wanted.limits, worth, base.bill);
  return worth;
}

std::optional<double> objective_of(const WorthBase& base, Seconds step, Seconds compute) {
  const auto tokens = static_cast<double>(std::max<std::int64_t>(base.numbers.tokens, 1));
  if (!base.wanted.limits.any()) {
    if (base.wanted.objective == Objective::step) return step.value;
    if (base.wanted.objective == Objective::speed) return step.value / tokens;
  }
  const Worth worth = worth_of(base, step, compute);
  return worth.within ? std::optional(worth.objective) : std::nullopt;
}

}  // namespace quintet
