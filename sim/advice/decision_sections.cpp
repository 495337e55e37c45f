#include <fmt/format.h>

#include <algorithm>

#include "sim/advice/advice_text.h"
#include "sim/base/shown_text.h"

namespace quintet {
namespace {

constexpr std::size_t longest_value = 28, longest_reason = 64;

std::string value_or(const std::string& value, const char* otherwise) {
  return value.empty() ? otherwise : shown(value, longest_value);
}

std::string step_or_reason(const Outcome& outcome) {
  return outcome.step ? milliseconds_text(outcome.step) : shown(outcome.why_not, longest_reason);
}

std::string share_text(const std::optional<Seconds>& part, Seconds step) {
  return part && step.value > 0 ? signed_fixed(100 * (*part / step), 2) + " %" : "-";
}

ReportSection layer_section(const Advice& advice) {
  const PlanWorth& worth = advice.worth;
  ReportSection section{"What each layer is worth, ms"};
  section.sentences = {
      "Undone: the chosen plan with this layer of the usual plan. Alone: the usual plan with this "
      "layer of the chosen one.",
      worth.possible_orders > 0
          ? fmt::format(
                "Share: what the layer takes off on the way from usual to chosen, mean over "
                "{} of {} orders of the layers; shares sum to the whole gain.",
                worth.possible_orders, worth.orders)
          : "There are no shares: in every order of the layers some plan on the way cannot be "
            "run."};
  section.table = {{"layer", "undone", "worth", "of the step", "alone", "gains alone", "share"}};
  for (const LayerWorth& each : worth.layers) {
    if (!each.differs) {
      section.table.push_back(
          {std::string(name_of(each.layer)), "as usual", "+0", "-", "-", "-", "0"});
      continue;
    }
    const auto lost = worth_when_undone(worth.chosen, each.undone);
    const auto alone = worth_when_undone(each.alone, worth.usual);
    section.table.push_back({std::string(name_of(each.layer)), step_or_reason(each.undone),
                             signed_milliseconds_text(lost), share_text(lost, advice.chosen.step),
                             step_or_reason(each.alone), signed_milliseconds_text(alone),
                             milliseconds_text(each.share)});
  }
  return section;
}

ReportSection decision_section(const Advice& advice) {
  ReportSection section{"What each decision is worth, ms"};
  section.sentences = {
      "The chosen plan with this one field as in the usual plan; data and the "
      "number of micro-batches follow."};
  section.table = {{"field", "chosen", "usual", "step without", "worth", "of the step"}};
  for (const DecisionWorth& each : advice.worth.decisions) {
    const auto lost = worth_when_undone(advice.worth.chosen, each.undone);
    std::string field = each.field;
    for (const std::string& other : each.along)
      field +=
          (&other == &each.along.front() ? " with " : ", ") + other.substr(other.rfind('.') + 1);
    section.table.push_back({field, value_or(each.chosen, "left out"),
                             value_or(each.usual, "left out"), step_or_reason(each.undone),
                             lost ? signed_milliseconds_text(lost)
                             : each.undone.why_not.starts_with("needs ") ? "needed"
                                                                         : "-",
                             share_text(lost, advice.chosen.step)});
  }
  return section;
}

void add_path(const char* name, const std::vector<PathStep>& path, const Outcome& usual,
              std::vector<TextRow>& table) {
  Outcome before = usual;
  for (const PathStep& each : path) {
    const auto taken = worth_when_undone(each.after, before);
    table.push_back({name, std::string(name_of(each.layer)), step_or_reason(each.after),
                     taken ? signed_milliseconds_text(Seconds{} - *taken) : "-"});
    before = each.after;
  }
}

ReportSection path_section(const Advice& advice) {
  ReportSection section{"From the usual plan to the chosen one, ms"};
  section.sentences = {
      fmt::format("Layer after layer, from {} on; a layer that takes off more in "
                  "one direction than in the other needs others to be changed "
                  "with it.",
                  step_or_reason(advice.worth.usual))};
  section.table = {{"direction", "then", "step", "change"}};
  add_path("down", advice.worth.downwards, advice.worth.usual, section.table);
  add_path("up", advice.worth.upwards, advice.worth.usual, section.table);
  return section;
}

}  // namespace

std::vector<ReportSection> decision_sections(const Advice& advice) {
  std::vector<ReportSection> all{layer_section(advice)};
  if (!advice.worth.decisions.empty()) all.push_back(decision_section(advice));
  if (advice.worth.downwards.size() > 1) all.push_back(path_section(advice));
  return all;
}

std::vector<ReportSection> limit_sections(const Advice& advice) {
  ReportSection section{"What limits it now, ms"};
  section.sentences = {
      "Eased by: the part of the machine that, twice as good, takes most off this "
      "piece; a dash: no part takes off a hundredth of it."};
  section.table = {{"piece of the step", "time", "of the step", "eased by", "takes off"}};
  for (const Limit& each : advice.limits)
    section.table.push_back({each.name, milliseconds_text(each.time),
                             percent(each.time / advice.chosen.step),
                             each.eased_by.empty() ? "-" : each.eased_by,
                             each.eased_by.empty() ? "-" : milliseconds_text(each.eased)});
  std::vector<ReportSection> all{section};
  if (!advice.path.empty()) {
    ReportSection path{"The critical path, ms"};
    path.table = {{"what", "time", "of the path", "pieces"}};
    Duration whole;
    for (const PathShare& each : advice.path) whole += each.time;
    for (const PathShare& each : advice.path)
      if (path.table.size() < 7)
        path.table.push_back({each.name, milliseconds_text(seconds(each.time)),
                              percent(seconds(each.time) / seconds(whole)),
                              fmt::to_string(each.pieces)});
    all.push_back(path);
  }
  if (!advice.busiest.empty()) {
    ReportSection links{"The busiest links"};
    links.table = {{"link", "part", "alike", "carries, GB", "of its rate"}};
    for (const BusyLinks& each : advice.busiest)
      links.table.push_back({each.link, shown(each.part, 32), fmt::to_string(each.alike),
                             fixed(each.carried.value / 1e9, 3), percent(each.utilisation)});
    all.push_back(links);
  }
  return all;
}

}  // namespace quintet
