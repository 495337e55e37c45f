#include "sim/command/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/shown_text.h"
#include "sim/explain/breakdown_report.h"
#include "sim/json/json_value.h"

namespace quintet {

namespace {

using Json = JsonValue;
using Names = std::vector<std::string>;

Names names_of(const ReportInput& input) {
  Names names;
  for (const NamedPrediction& plan : input.plans) names.push_back(plan.name);
  return names;
}

Names short_names_of(const ReportInput& input) {
  Names names;
  for (const std::string& name : distinct_ends(names_of(input))) names.push_back(shown(name));
  return names;
}

template <class T>
std::vector<Named<T>> named(const ReportInput& input, const Names& names, T Prediction::*part) {
  std::vector<Named<T>> all;
  for (std::size_t i = 0; i < names.size(); ++i)
    all.push_back({names[i], input.plans[i].prediction.*part});
  return all;
}

std::string header_text(const ReportInput& input) {
  std::string text;
  for (const NamedPrediction& plan : input.plans)
    text += fmt::format("{:<10}{}\n", text.empty() ? "Plan" : "", shown(plan.name));
  return text + fmt::format("Model     {}\nMachine   {}\nCosts     {}\n\n", input.model,
                            input.topology, input.costs);
}

// The stages to show: with few all, otherwise the fullest, the first and the last.
MemoryReport shortened(const MemoryReport& memory) {
  constexpr std::size_t few = 5;
  if (memory.ranks.size() <= few) return memory;
  const RankMemory most = fullest(memory).value_or(RankMemory{});
  MemoryReport chosen;
  chosen.capacity = memory.capacity;
  for (const RankMemory& rank : memory.ranks)
    if (&rank == &memory.ranks.front() || &rank == &memory.ranks.back() || rank == most)
      chosen.ranks.push_back(rank);
  return chosen;
}

// B and W are passes of their own.
bool splits_backward(const Program& program) {
  return std::any_of(program.bodies.begin(), program.bodies.end(), [](const Body& body) {
    return body.kind == BodyKind::layer && body.phase == Phase::weight_gradient;
  });
}

std::string memory_text(const Prediction& prediction, const std::string& name, MemoryShown shown) {
  constexpr Bytes least_shown{5e6};  // the table rounds to 0.01 GiB
  const MemoryReport& memory = prediction.memory;
  if (memory.capacity.value <= 0 || total(fullest(memory).value_or(RankMemory{})) < least_shown)
    return "";
  const MemoryReport chosen = shown == MemoryShown::all ? memory : shortened(memory);
  const std::string left_out = chosen.ranks.size() == memory.ranks.size()
                                   ? ""
                                   : fmt::format("; {} of {} stages, --memory shows all",
                                                 chosen.ranks.size(), memory.ranks.size());
  const std::string bound = splits_backward(prediction.program)
                                ? "At most so much: all that forward kept is counted until W, also "
                                  "what only B reads\n"
                                : "";
  return fmt::format("Memory of a GPU in GiB, {}{}\n{}{}\n", name, left_out, memory_table(chosen),
                     bound);
}

// Nothing where the cost table knows no residuals.
std::string interval_text(const PredictedInterval& interval, const std::string& name) {
  constexpr std::size_t most_remarks = 6;
  std::string text;
  if (interval.known > 0)
    text += fmt::format(
        "Interval, {}: 90 % of such steps between {:.1f} and {:.1f} ms, by the residuals of what "
        "{:.0f} % of it is made of\n",
        name, 1e3 * seconds(interval.low).value, 1e3 * seconds(interval.high).value,
        100 * interval.known);
  for (std::size_t i = 0; i < std::min(most_remarks, interval.outside.size()); ++i)
    text += fmt::format("Outside what was measured: {}\n", shown(interval.outside[i], 100));
  if (interval.outside.size() > most_remarks)
    text += fmt::format("and {} more, --json has all\n", interval.outside.size() - most_remarks);
  return text.empty() ? text : text + "\n";
}

Json interval_json(const NamedPrediction& plan) {
  const PredictedInterval& interval = plan.prediction.interval;
  return {{"name", plan.name},
          {"nominal", 0.9},
          {"low_s", seconds(interval.low).value},
          {"high_s", seconds(interval.high).value},
          {"known_share", interval.known},
          {"outside", interval.outside}};
}

std::string links_text(const std::vector<BusyLinks>& busiest, const std::string& name) {
  constexpr double least_shown = 0.0005;  // 0.1 %, rounded
  std::size_t width = 0;
  for (const BusyLinks& busy : busiest) width = std::max(width, busy.link.size());
  std::string lines;
  for (const BusyLinks& busy : busiest)
    if (busy.utilisation >= least_shown)
      lines += fmt::format("{:5.1f} %  {:<{}}  {:>5} alike  {}\n", 100.0 * busy.utilisation,
                           busy.link, width, busy.alike, busy.part);
  if (lines.empty()) return "";
  return fmt::format("Busiest links, {} (bytes carried / what the wire could in a step)\n{}\n",
                     name, lines);
}

Json links_json(const NamedPrediction& plan) {
  Json links = Json::array();
  for (const BusyLinks& busy : plan.busiest)
    links.push_back({{"link", busy.link},
                     {"part", busy.part},
                     {"alike", busy.alike},
                     {"carried_bytes", busy.carried.value},
                     {"utilisation", busy.utilisation}});
  return {{"name", plan.name}, {"links", std::move(links)}};
}

Json memory_entry(const NamedPrediction& plan) {
  Json memory = {{"name", plan.name}};
  memory.update(Json::parse(memory_json(plan.prediction.memory)));
  memory.erase("schema_version");  // the report's is the one
  return memory;
}

}  // namespace

std::vector<std::string> distinct_ends(const std::vector<std::string>& names) {
  if (names.size() < 2) return names;
  std::size_t shared = names.front().size();
  for (const std::string& name : names) {
    const auto [end, other] =
        std::mismatch(name.begin(), name.end(), names.front().begin(), names.front().end());
    shared = std::min(shared, static_cast<std::size_t>(end - name.begin()));
  }
  const std::size_t cut = names.front().substr(0, shared).find_last_of("-_ ");
  if (cut == std::string::npos) return names;
  Names ends;
  for (const std::string& name : names) ends.push_back(name.substr(cut + 1));
  const bool told_apart =
      std::none_of(ends.begin(), ends.end(), [](const std::string& end) { return end.empty(); });
  return told_apart ? ends : names;
}

std::string report_text(const ReportInput& input, MemoryShown memory) {
  const Names names = short_names_of(input);
  std::string text = header_text(input);
  text += summary_table(named(input, names, &Prediction::summary)) + "\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += interval_text(input.plans[i].prediction.interval, names[i]);
  text += "Where the time of a step goes, mean over ranks (parts sum to the step)\n";
  text += breakdown_table(named(input, names, &Prediction::mean)) + "\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += memory_text(input.plans[i].prediction, names[i], memory);
  for (std::size_t i = 0; i < names.size(); ++i)
    text += links_text(input.plans[i].busiest, names[i]);
  text.pop_back();  // the blank line that parts a section from the next
  return text;
}

std::string report_json(const ReportInput& input) {
  const Names names = names_of(input);
  Json report{{"schema_version", 1},
              {"model", input.model},
              {"topology", input.topology},
              {"costs", input.costs}};
  report["summary"] = Json::parse(summary_json(named(input, names, &Prediction::summary)))["plans"];
  report["breakdown"] =
      Json::parse(breakdown_json(named(input, names, &Prediction::mean)))["plans"];
  for (const NamedPrediction& plan : input.plans) {
    report["intervals"].push_back(interval_json(plan));
    report["memory"].push_back(memory_entry(plan));
    report["busiest_links"].push_back(links_json(plan));
  }
  return report.dump(2) + "\n";
}

}  // namespace quintet
