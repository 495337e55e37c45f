#include "sim/advice/advice_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/advice/advice_text.h"
#include "sim/picture/scatter.h"
#include "sim/picture/tornado.h"
#include "sim/picture/waterfall.h"

namespace quintet {
namespace {

ShownNumber shown_milliseconds(Seconds time) {
  return {1e3 * time.value, milliseconds_text(time), fmt::format("{}", time.value)};
}

std::optional<ShownNumber> shown_outcome(const Outcome& outcome) {
  if (!outcome.step) return std::nullopt;
  return shown_milliseconds(*outcome.step);
}

std::optional<Picture> layers_picture(const Advice& advice) {
  const PlanWorth& worth = advice.worth;
  if (worth.possible_orders == 0 || !worth.usual.step) return std::nullopt;
  Waterfall waterfall{"layers",
                      "What each layer takes off",
                      "ms",
                      "usual plan",
                      "chosen plan",
                      shown_milliseconds(*worth.usual.step),
                      shown_milliseconds(advice.chosen.step),
                      {}};
  waterfall.longer = "the layer costs time";
  waterfall.shorter = "it saves time";
  for (const LayerWorth& each : worth.layers)
    if (each.differs && each.share) {
      const Seconds change = Seconds{} - *each.share;
      waterfall.changes.push_back({std::string(name_of(each.layer)),
                                   {1e3 * change.value, signed_milliseconds_text(change),
                                    fmt::format("{}", change.value)}});
    }
  if (waterfall.changes.empty()) return std::nullopt;
  return draw(waterfall, 1);
}

Tornado tornado_of(const Advice& advice, const char* name, const char* title, const char* first) {
  return {name, title, "ms", "chosen plan", shown_milliseconds(advice.chosen.step), first, "", {}};
}

std::optional<Picture> decisions_picture(const Advice& advice) {
  Tornado tornado =
      tornado_of(advice, "decisions", "A step without each decision", "with this field as usual");
  for (const DecisionWorth& each : advice.worth.decisions)
    tornado.rows.push_back(
        {fmt::format("{} {}, not {}", each.field, each.usual.empty() ? "left out" : each.usual,
                     each.chosen.empty() ? "left out" : each.chosen),
         shown_outcome(each.undone),
         {},
         each.undone.why_not});
  if (tornado.rows.empty()) return std::nullopt;
  return draw(tornado);
}

Picture machine_picture(const Advice& advice) {
  Tornado tornado =
      tornado_of(advice, "machine", "A step on a better machine", "twice as good, or as said");
  tornado.second_name = "10 % better";
  for (const MachineWorth& each : advice.machine_worths)
    tornado.rows.push_back(
        {each.part, shown_outcome(each.twice), shown_outcome(each.tenth), each.twice.why_not});
  return draw(tornado);
}

Picture robustness_picture(const Advice& advice) {
  Tornado tornado = tornado_of(advice, "robustness", "A step when something is wrong", "then");
  if (const auto& interval = advice.chosen.interval)
    for (const auto& [end, name] : {std::pair{interval->low, "one step in twenty is shorter"},
                                    std::pair{interval->high, "one step in twenty is longer"}})
      tornado.rows.push_back({name, shown_milliseconds(end), {}, ""});
  for (const ScenarioSteps& each : advice.robustness.scenarios)
    if (each.scenario != advice.robustness.scenarios.front().scenario)
      tornado.rows.push_back({each.scenario + (each.part.empty() ? "" : ": " + each.part),
                              shown_outcome(each.steps.front()),
                              {},
                              each.steps.front().why_not});
  return draw(tornado);
}

struct Second {
  const char *name, *title, *unit;
  std::optional<double> (*of)(const JudgedPlan&);
};

std::optional<Picture> judged_picture(const Advice& advice, const char* name,
                                      const Second& second) {
  Scatter scatter{name,
                  second.title,
                  "step",
                  "ms",
                  second.name,
                  second.unit,
                  "no other plan beats it",
                  "beaten",
                  {}};
  for (const JudgedPlan& each : advice.judged) {
    const std::optional<double> value = second.of(each);
    if (!value) continue;
    const bool first = &each == &advice.judged.front();
    scatter.points.push_back({first ? "chosen" : each.name,
                              shown_milliseconds(each.step),
                              {*value, fixed(*value, 2), fmt::format("{}", *value)},
                              each.on_front,
                              first});
  }
  if (scatter.points.size() < 2) return std::nullopt;
  return draw(scatter);
}

}  // namespace

std::vector<Picture> advice_pictures(const Advice& advice) {
  std::vector<Picture> all;
  const auto add = [&](std::optional<Picture> picture) {
    if (picture) all.push_back(std::move(*picture));
  };
  add(layers_picture(advice));
  add(decisions_picture(advice));
  add(machine_picture(advice));
  add(robustness_picture(advice));
  add(judged_picture(advice, "memory-left",
                     {"memory left", "Step and memory left", "%", [](const JudgedPlan& each) {
                        return each.headroom ? std::optional(100 * *each.headroom) : std::nullopt;
                      }}));
  add(judged_picture(advice, "energy",
                     {"energy", "Step and energy", "kJ", [](const JudgedPlan& each) {
                        return each.energy ? std::optional(each.energy->value / 1e3) : std::nullopt;
                      }}));
  add(judged_picture(advice, "money", {"money", "Step and money", "$", [](const JudgedPlan& each) {
                                         return each.money ? std::optional(each.money->value)
                                                           : std::nullopt;
                                       }}));
  return all;
}

Page advice_page(const Advice& advice) {
  Page page{advice.plans.front() + ": why, and what next",
            advice_sentences(advice),
            {},
            advice_pictures(advice),
            advice_sections(advice)};
  page.lines.insert(page.lines.begin(), fmt::format("{} on {}", advice.model, advice.machine));
  return page;
}

}  // namespace quintet
