#include "sim/advice/advice_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/answer/numbers_text.h"

namespace quintet {
namespace {

std::string of_step(Seconds part, Seconds step) {
  return step.value > 0 ? percent(part / step) : "0 %";
}

std::string gain_sentence(const Advice& advice) {
  const PlanWorth& worth = advice.worth;
  if (!worth.usual.step)
    return fmt::format("A step takes {} ms; the usual plan ({}) cannot be run: {}.",
                       milliseconds_text(advice.chosen.step), advice.usual_is, worth.usual.why_not);
  const Seconds gain = *worth.usual.step - advice.chosen.step;
  return fmt::format(
      "A step takes {} ms, {} % {} than the {} ms of the usual plan ({}).",
      milliseconds_text(advice.chosen.step), fixed(100 * std::abs(gain / *worth.usual.step), 1),
      gain.value < 0 ? "more" : "less", milliseconds_text(worth.usual.step), advice.usual_is);
}

std::string layer_sentence(const Advice& advice) {
  const LayerWorth& first = advice.worth.layers.front();
  if (!first.differs) return "All of its five layers decide as the usual plan does.";
  const auto worth = worth_when_undone(advice.worth.chosen, first.undone);
  if (worth && *worth <= Seconds{})
    return "None of its layers is worth anything: each could as well be as in the usual plan.";
  if (!worth)
    return fmt::format("Without its {} layer it cannot be run at all: {}.", name_of(first.layer),
                       first.undone.why_not);
  return fmt::format("Its {} layer is worth most: with the usual one it takes {} ms longer ({}).",
                     name_of(first.layer), milliseconds_text(*worth),
                     of_step(*worth, advice.chosen.step));
}

std::string decision_sentence(const Advice& advice) {
  for (const DecisionWorth& each : advice.worth.decisions)
    if (const auto worth = worth_when_undone(advice.worth.chosen, each.undone);
        worth && worth->value < -1e-3 * advice.chosen.step.value)
      return fmt::format("Beware: with {} {} in place of {} it would take {} ms less.", each.field,
                         each.usual, each.chosen, milliseconds_text(Seconds{} - *worth));
  return "";
}

std::string limit_sentence(const Advice& advice) {
  if (advice.limits.empty()) return "";
  const Limit& first = advice.limits.front();
  std::string text = fmt::format("It is limited by {} ({} of the step)", first.name,
                                 of_step(first.time, advice.chosen.step));
  if (advice.limits.size() > 1)
    text += fmt::format(", then by {} ({})", advice.limits[1].name,
                        of_step(advice.limits[1].time, advice.chosen.step));
  return text + ".";
}

// It costs more, and saves more than a thousandth of the step.
bool is_worth_money(const MachineWorth& each, Seconds step) {
  const auto price = dollars_per_millisecond(step, each);
  return price && each.bought->value > 0 && step - *each.twice.step > 1e-3 * step;
}

std::string machine_sentence(const Advice& advice) {
  const MachineWorth& first = advice.machine_worths.front();
  if (!first.twice.step || *first.twice.step >= advice.chosen.step)
    return "No single part of the machine, twice as good, makes this plan faster.";
  const Seconds saved = advice.chosen.step - *first.twice.step;
  std::string text =
      fmt::format("Of the machine, {}{} would help most: {} ms less ({})", first.part,
                  first.of || first.note.starts_with("by ") ? " twice as good" : "",
                  milliseconds_text(saved), of_step(saved, advice.chosen.step));
  const MachineWorth* cheapest = nullptr;
  for (const MachineWorth& each : advice.machine_worths)
    if (is_worth_money(each, advice.chosen.step) &&
        (cheapest == nullptr || *dollars_per_millisecond(advice.chosen.step, each) <
                                    *dollars_per_millisecond(advice.chosen.step, *cheapest)))
      cheapest = &each;
  if (cheapest == nullptr) return text + "; nothing that has a price saves a thousandth.";
  return text + fmt::format("; of what has a price, {} saves a millisecond for {}.", cheapest->part,
                            dollars_text(*dollars_per_millisecond(advice.chosen.step, *cheapest)));
}

std::string robustness_sentence(const Advice& advice) {
  const ScenarioSteps* worst = nullptr;
  const auto loss = [&](const ScenarioSteps& each) {
    return each.steps.front().step ? each.steps.front().step->value : INFINITY;
  };
  for (const ScenarioSteps& each : advice.robustness.scenarios)
    if (worst == nullptr || loss(each) > loss(*worst)) worst = &each;
  if (worst == nullptr || loss(*worst) <= advice.chosen.step.value) return "";
  const std::string with = worst->part.empty() ? "" : " (" + worst->part + ")";
  if (!worst->steps.front().step)
    return fmt::format("With {}{} it cannot run: {}.", worst->scenario, with,
                       worst->steps.front().why_not);
  return fmt::format("Of what may go wrong, {}{} costs most: {} longer.", worst->scenario, with,
                     of_step(*worst->steps.front().step - advice.chosen.step, advice.chosen.step));
}

std::string runner_up_sentence(const Advice& advice) {
  if (advice.plans.size() < 2) return "";
  const std::vector<ScenarioSteps>& all = advice.robustness.scenarios;
  if (const auto lost = regret(all.front(), 0); lost && *lost >= 0.001)
    return fmt::format("Beware: another of the {} plans is faster as it is, by {}.",
                       advice.plans.size(), percent(*lost));
  for (const ScenarioSteps& each : all)
    if (const auto lost = regret(each, 0); lost && *lost >= 0.001)
      return fmt::format(
          "It is not the best of the {} plans in every case: with {} another is {} "
          "faster.",
          advice.plans.size(), each.scenario, percent(*lost));
  return fmt::format("None of the other {} plans is better in any of these cases.",
                     advice.plans.size() - 1);
}

std::string neighbour_sentence(const Advice& advice) {
  if (!advice.faster) return "";
  return fmt::format("Beware: a plan with {} fits too and takes {} ms.", advice.faster->how,
                     milliseconds_text(advice.faster->step));
}

}  // namespace

std::string milliseconds_text(const std::optional<Seconds>& time) {
  if (!time) return "-";
  const double ms = 1e3 * time->value;
  return fixed(ms, std::abs(ms) >= 100 ? 1 : std::abs(ms) >= 1 ? 3 : 5);
}

std::string signed_milliseconds_text(const std::optional<Seconds>& time) {
  if (!time) return "-";
  return (time->value >= 0 ? "+" : "") + milliseconds_text(time);
}

std::string dollars_text(Dollars amount) {
  const double value = std::abs(amount.value);
  const std::string sign = amount.value < 0 ? "-" : "";
  if (value >= 1e6) return fmt::format("{}{:.2f} million $", sign, value / 1e6);
  if (value >= 100) return fmt::format("{}{} $", sign, grouped(std::round(value)));
  return fmt::format("{}{:.3g} $", sign, value);
}

std::vector<std::string> advice_sentences(const Advice& advice) {
  std::vector<std::string> all;
  for (std::string sentence :
       {gain_sentence(advice), layer_sentence(advice), decision_sentence(advice),
        limit_sentence(advice), machine_sentence(advice), robustness_sentence(advice),
        runner_up_sentence(advice), neighbour_sentence(advice)})
    if (!sentence.empty()) all.push_back(std::move(sentence));
  return all;
}

std::vector<ReportSection> advice_sections(const Advice& advice) {
  std::vector<ReportSection> all;
  for (const auto& part :
       {decision_sections(advice), limit_sections(advice), machine_sections(advice),
        robustness_sections(advice), judged_sections(advice)})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

std::string advice_text(const Advice& advice) {
  std::vector<ReportSection> all{
      {fmt::format("{} of {} on {}", advice.plans.front(), advice.model, advice.machine),
       advice_sentences(advice)}};
  for (ReportSection& each : advice_sections(advice)) all.push_back(std::move(each));
  return report_text(all);
}

}  // namespace quintet
