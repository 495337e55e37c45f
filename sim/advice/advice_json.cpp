#include "sim/advice/advice_json.h"

#include "sim/plan/plan_file.h"

namespace quintet {
namespace {

JsonValue seconds_or_null(const std::optional<Seconds>& time) {
  return time ? JsonValue(time->value) : JsonValue(nullptr);
}

template <class Quantity>
JsonValue value_or_null(const std::optional<Quantity>& quantity) {
  return quantity ? JsonValue(quantity->value) : JsonValue(nullptr);
}

JsonValue number_or_null(const std::optional<double>& number) {
  return number ? JsonValue(*number) : JsonValue(nullptr);
}

JsonValue text_or_null(const std::string& text) {
  return text.empty() ? JsonValue(nullptr) : JsonValue(text);
}

JsonValue outcome(const Outcome& one) {
  return {{"step_s", seconds_or_null(one.step)}, {"why_not", text_or_null(one.why_not)}};
}

template <class Each, class Write>
JsonValue list(const std::vector<Each>& all, Write write) {
  JsonValue written = JsonValue::array();
  for (const Each& each : all) written.push_back(write(each));
  return written;
}

JsonValue path(const std::vector<PathStep>& steps) {
  return list(steps, [](const PathStep& each) -> JsonValue {
    return {{"layer", name_of(each.layer)}, {"after", outcome(each.after)}};
  });
}

JsonValue worth(const PlanWorth& all) {
  return {{"usual", outcome(all.usual)},
          {"layers", list(all.layers,
                          [&](const LayerWorth& each) -> JsonValue {
                            return {{"layer", name_of(each.layer)},
                                    {"differs", each.differs},
                                    {"undone", outcome(each.undone)},
                                    {"worth_s",
                                     seconds_or_null(worth_when_undone(all.chosen, each.undone))},
                                    {"alone", outcome(each.alone)},
                                    {"share_s", seconds_or_null(each.share)}};
                          })},
          {"orders", all.orders},
          {"possible_orders", all.possible_orders},
          {"downwards", path(all.downwards)},
          {"upwards", path(all.upwards)},
          {"decisions", list(all.decisions, [&](const DecisionWorth& each) -> JsonValue {
             return {{"field", each.field},
                     {"chosen", text_or_null(each.chosen)},
                     {"usual", text_or_null(each.usual)},
                     {"along", each.along},
                     {"undone", outcome(each.undone)},
                     {"worth_s", seconds_or_null(worth_when_undone(all.chosen, each.undone))}};
           })}};
}

JsonValue limits(const Advice& advice) {
  return {{"pieces", list(advice.limits,
                          [](const Limit& each) -> JsonValue {
                            return {{"name", each.name},
                                    {"time_s", each.time.value},
                                    {"eased_by", text_or_null(each.eased_by)},
                                    {"eased_s", each.eased.value}};
                          })},
          {"critical_path", list(advice.path,
                                 [](const PathShare& each) -> JsonValue {
                                   return {{"name", each.name},
                                           {"time_s", seconds(each.time).value},
                                           {"pieces", each.pieces}};
                                 })},
          {"busiest_links", list(advice.busiest, [](const BusyLinks& each) -> JsonValue {
             return {{"link", each.link},
                     {"part", each.part},
                     {"alike", each.alike},
                     {"carried_bytes", each.carried.value},
                     {"utilisation", each.utilisation}};
           })}};
}

JsonValue machine(const Advice& advice) {
  return list(advice.machine_worths, [&](const MachineWorth& each) -> JsonValue {
    return {{"part", each.part},
            {"tenth_better", outcome(each.tenth)},
            {"twice_as_good", outcome(each.twice)},
            {"slope", number_or_null(elasticity(advice.chosen.step, each))},
            {"bought_usd", value_or_null(each.bought)},
            {"usd_per_ms", value_or_null(dollars_per_millisecond(advice.chosen.step, each))},
            {"note", text_or_null(each.note)}};
  });
}

JsonValue robust(const Robustness& all) {
  return {{"cases", list(all.scenarios,
                         [](const ScenarioSteps& each) -> JsonValue {
                           return {{"case", each.scenario},
                                   {"part", text_or_null(each.part)},
                                   {"alike", each.alike},
                                   {"kinds", each.kinds},
                                   {"kinds_tried", each.tried},
                                   {"plans", list(each.steps, outcome)},
                                   {"regret_share", number_or_null(regret(each, 0))}};
                         })},
          {"largest_regret_share", list(all.largest_regret, number_or_null)}};
}

JsonValue judged(const std::vector<JudgedPlan>& all) {
  return list(all, [](const JudgedPlan& each) -> JsonValue {
    return {{"name", each.name},
            {"step_s", each.step.value},
            {"headroom_share", number_or_null(each.headroom)},
            {"energy_j", value_or_null(each.energy)},
            {"money_usd", value_or_null(each.money)},
            {"on_front", each.on_front}};
  });
}

JsonValue interval(const std::optional<StepInterval>& one) {
  if (!one) return nullptr;
  return {{"low_s", one->low.value}, {"high_s", one->high.value}, {"rests_on", one->rests_on}};
}

JsonValue faster(const std::optional<FasterNeighbour>& one) {
  if (!one) return nullptr;
  return {{"how", one->how}, {"step_s", one->step.value}};
}

}  // namespace

JsonValue advice_json(const Advice& advice) {
  return {{"schema_version", advice_schema_version},
          {"model", advice.model},
          {"machine", advice.machine},
          {"plans", advice.plans},
          {"step_s", advice.chosen.step.value},
          {"interval", interval(advice.chosen.interval)},
          {"usual_plan",
           {{"is", advice.usual_is}, {"plan", JsonValue::parse(plan_text(advice.usual))}}},
          {"worth", worth(advice.worth)},
          {"limits", limits(advice)},
          {"machine_changes", machine(advice)},
          {"robustness", robust(advice.robustness)},
          {"faster_neighbour", faster(advice.faster)},
          {"pareto", judged(advice.judged)}};
}

}  // namespace quintet
