#include <fmt/format.h>

#include <algorithm>

#include "sim/advice/advice_text.h"
#include "sim/base/shown_text.h"

namespace quintet {
namespace {

constexpr std::size_t longest_reason_shown = 60;

std::string part_step(const Outcome& outcome) {
  return outcome.step              ? milliseconds_text(outcome.step)
         : outcome.why_not.empty() ? "-"
                                   : shown(outcome.why_not, longest_reason_shown);
}

TextRow part_row(const MachineWorth& each, Seconds step) {
  const auto saved = each.twice.step ? std::optional(step - *each.twice.step) : std::nullopt;
  const auto slope = elasticity(step, each);
  const auto price = dollars_per_millisecond(step, each);
  return {each.part,
          each.tenth.step ? milliseconds_text(each.tenth.step) : "-",
          part_step(each.twice),
          saved ? signed_fixed(-100 * (*saved / step), 2) + " %" : "-",
          slope ? fixed(*slope, 3) : "-",
          each.bought ? dollars_text(*each.bought) : "not known",
          price ? dollars_text(*price) : "-",
          each.note};
}

std::string scenario_text(const ScenarioSteps& each) {
  if (each.part.empty()) return each.scenario;
  return each.scenario + ": " + each.part +
         (each.alike > 1 ? fmt::format(" or {} like it", each.alike - 1) : "") +
         (each.kinds > each.tried ? fmt::format("; {} of {} kinds tried", each.tried, each.kinds)
                                  : "");
}

std::string regret_text(const std::optional<double>& lost) {
  return lost ? percent(*lost, 2) : "cannot run";
}

}  // namespace

std::vector<ReportSection> machine_sections(const Advice& advice) {
  ReportSection section{"What change of the machine would help, ms"};
  section.sentences = {
      "The same plan on a machine of which one part is a tenth better, and twice as good; another "
      "plan may gain more from it.",
      "Slope: 1 where all of the step goes with the part, 0 where nothing does. Of GPU memory the "
      "fastest plan one or two decisions away counts that needs it.",
      "Bought: what the machine costs more with it, by the usual prices; per ms: of that for each "
      "millisecond of a step that is saved."};
  section.table = {{"part", "10 % better", "twice", "change", "slope", "bought", "per ms", "note"}};
  for (const MachineWorth& each : advice.machine_worths)
    section.table.push_back(part_row(each, advice.chosen.step));
  return {section};
}

std::vector<ReportSection> robustness_sections(const Advice& advice) {
  const Robustness& robust = advice.robustness;
  ReportSection section{"How robust it is, ms"};
  if (advice.chosen.interval)
    section.sentences.push_back(fmt::format("Nine of ten such steps take {} to {} ms ({}).",
                                            milliseconds_text(advice.chosen.interval->low),
                                            milliseconds_text(advice.chosen.interval->high),
                                            advice.chosen.interval->rests_on));
  section.sentences.push_back(
      "Of parts that the plan uses alike one stands for all; of those that it does not, the one "
      "of which the chosen plan suffers most is shown, and the others meet the same.");
  if (advice.plans.size() > 1)
    section.sentences.push_back("Regret: what the chosen plan takes beyond the best of all here.");
  section.table = {{"case"}};
  for (std::size_t plan = 0; plan < advice.plans.size(); ++plan)
    section.table[0].push_back(plan == 0 ? "chosen" : fmt::format("plan {}", plan + 1));
  section.table[0].push_back("change");
  if (advice.plans.size() > 1) section.table[0].push_back("regret");
  for (const ScenarioSteps& each : robust.scenarios) {
    TextRow row{scenario_text(each)};
    for (const Outcome& step : each.steps) row.push_back(part_step(step));
    const auto& own = each.steps.front().step;
    row.push_back(own ? signed_fixed(100 * (*own / advice.chosen.step - 1), 2) + " %" : "-");
    if (advice.plans.size() > 1) row.push_back(regret_text(regret(each, 0)));
    section.table.push_back(row);
  }
  if (advice.plans.size() > 1) {
    TextRow row{"largest regret of each"};
    for (const auto& each : robust.largest_regret) row.push_back(regret_text(each));
    row.insert(row.end(), {"", ""});
    section.table.push_back(row);
    for (std::size_t plan = 1; plan < advice.plans.size(); ++plan)
      section.sentences.push_back(
          fmt::format("Plan {}: {}", plan + 1, shown(advice.plans[plan], 100)));
  }
  return {section};
}

std::vector<ReportSection> judged_sections(const Advice& advice) {
  if (advice.judged.size() < 2) return {};
  ReportSection section{"The plans, and which no other beats"};
  section.sentences = {
      "On the front: no other is as fast with as much memory left, as little "
      "energy and as little money, and better in one of these. Money: of a step, "
      "on machines that are owned."};
  section.table = {{"plan", "step, ms", "memory left", "energy, kJ", "money", "on the front"}};
  for (const JudgedPlan& each : advice.judged)
    section.table.push_back({shown(each.name, 60), milliseconds_text(each.step),
                             each.headroom ? percent(*each.headroom) : "-",
                             each.energy ? fixed(each.energy->value / 1e3, 1) : "-",
                             each.money ? dollars_text(*each.money) : "-",
                             each.on_front ? "yes" : ""});
  return {section};
}

}  // namespace quintet
