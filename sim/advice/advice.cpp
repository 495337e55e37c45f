#include "sim/advice/advice.h"

#include <algorithm>
#include <utility>

#include "sim/answer/pareto_front.h"

namespace quintet {
namespace {

// The parts of the work, of about equal length each as it turned out.
enum class Share { worth, machine, robustness, neighbours };
constexpr double shares = 4;

Effort part_of(const Effort& effort, Share part) {
  Effort one = effort;
  if (!effort.progress) return one;
  one.progress = [&effort, part](double share) {
    effort.progress((static_cast<double>(part) + share) / shares);
  };
  return one;
}

std::vector<Plan> compared_plans(const std::vector<TopPlan>& top) {
  std::vector<Plan> plans;
  for (const TopPlan& each : top)
    if (plans.size() <= most_runner_ups) plans.push_back(each.plan);
  return plans;
}

template <class Known>
bool known_of_all(const std::vector<JudgedPlan>& all, Known known) {
  return std::all_of(all.begin(), all.end(), known);
}

}  // namespace

std::vector<JudgedPlan> judged_plans(const std::vector<TopPlan>& top) {
  std::vector<JudgedPlan> all;
  for (const TopPlan& each : top) {
    JudgedPlan& judged = all.emplace_back(JudgedPlan{each.plan.name, each.step, {}, {}, {}});
    if (each.capacity > Bytes{}) judged.headroom = 1 - each.memory / each.capacity;
    if (each.energy > Joules{}) judged.energy = each.energy;
    judged.money = each.money;
  }
  const bool memory = known_of_all(all, [](const auto&each) { return each.headroom.has_value(); }),
             energy = known_of_all(all, [](const auto&each) { return each.energy.has_value(); }),
             money = known_of_all(all, [](const auto&each) { return each.money.has_value(); });
  std::vector<Judged> criteria;
  for (const JudgedPlan& each : all) {
    Judged& judged = criteria.emplace_back(Judged{each.step.value});
    if (memory) judged.push_back(-*each.headroom);
    if (energy) judged.push_back(each.energy->value);
    if (money) judged.push_back(each.money->value);
  }
  const std::vector<bool> front = pareto_front_by_many(criteria);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].on_front = front[i];
  return all;
}

Result<Advice> advise(const AdviceInput& input, const Evaluator& evaluator, const Effort& effort) {
  const Plan& plan = input.top.front().plan;
  Result<Evaluated> chosen = evaluator.step(plan, input.machine);
  if (!chosen) return chosen.error();
  Result<StepDetail> detail = evaluator.detail(plan, input.machine);
  if (!detail) return detail.error();
  Advice advice{input.model,
                input.machine_name,
                input.usual_is,
                input.usual,
                {},
                std::move(*chosen),
                std::move(detail->path),
                {},
                {},
                {},
                {},
                {},
                {},
                judged_plans(input.top)};
  const std::vector<Plan> compared = compared_plans(input.top);
  for (const Plan& each : compared) advice.plans.push_back(each.name);
  advice.busiest = busiest_links(input.machine.topology, detail->carried, advice.chosen.step, 5);
  advice.worth =
      worth_of(plan, input.usual, input.machine, evaluator, part_of(effort, Share::worth));
  advice.machine_worths = machine_worths({plan, input.machine, input.prices, input.rebuild},
                                         evaluator, part_of(effort, Share::machine));
  advice.limits = limits_of(advice.chosen.mean, advice.machine_worths);
  advice.robustness =
      robustness(compared, input.machine, *detail, evaluator, part_of(effort, Share::robustness));
  advice.faster = faster_neighbour(plan, advice.chosen.step, input.machine, evaluator,
                                   part_of(effort, Share::neighbours));
  return advice;
}

}  // namespace quintet
