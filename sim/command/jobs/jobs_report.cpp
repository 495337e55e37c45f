#include "sim/command/jobs/jobs_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/base/quantity_text.h"
#include "sim/base/shown_text.h"
#include "sim/base/text_table.h"
#include "sim/answer/busiest_links.h"
#include "sim/command/machines/machine_inputs.h"
#include "sim/json/json_value.h"

namespace quintet {

namespace {

int slots_of_host(const JobsInputs& inputs) {
  return static_cast<int>(inputs.machine.topology.hosts.front().gpus.size());
}

const JobEntry& entry(const JobsInputs& inputs, std::size_t job) {
  return inputs.machine.jobs[job].entry;
}

std::string head_text(const JobsInputs& inputs) {
  return fmt::format("  jobs       {}: {} of {}\n  machine    {}: {}\n",
                     shown(inputs.file.name, 90), inputs.machine.jobs.size(), inputs.path,
                     inputs.machine.topology.name, hosts_text(inputs.machine.topology));
}

std::string times_text(const JobsInputs& inputs, const NamedOutlook& shown) {
  std::vector<TextRow> rows{
      {"job", "GPUs", "steps", "alone", "with others", "slower", "waits", "finish", "slowdown"}};
  for (std::size_t job = 0; job < shown.outlook.jobs.size(); ++job) {
    const JobOutlook& its = shown.outlook.jobs[job];
    rows.push_back({entry(inputs, job).name, std::to_string(shown.decisions[job].slots.size()),
                    std::to_string(entry(inputs, job).steps), rounded_text(its.alone),
                    rounded_text(its.step), percent(its.step / its.alone - 1.0),
                    rounded_text(its.waits), rounded_text(its.finish), fixed(its.slowdown, 4)});
  }
  return aligned(rows);
}

std::string decision_text(const JobDecision& decision) {
  std::string text(name_of(decision.routing));
  if (decision.routing == Routing::ecmp) text += fmt::format(" {}", decision.hash_seed);
  return text;
}

std::string places_text(const JobsInputs& inputs, const NamedOutlook& shown) {
  std::vector<TextRow> rows{{"job", "routing", "priority", "weight", "offset", "pace", "on hosts"}};
  for (std::size_t job = 0; job < shown.decisions.size(); ++job) {
    const JobDecision& its = shown.decisions[job];
    rows.push_back({entry(inputs, job).name, decision_text(its),
                    std::to_string(its.traffic.priority), fmt::format("{:g}", its.traffic.weight),
                    rounded_text(its.offset), its.pace > Seconds{} ? rounded_text(its.pace) : "-",
                    hosts_of_slots(its.slots, slots_of_host(inputs))});
  }
  return aligned(rows);
}

std::vector<BusyLinks> busy(const JobsInputs& inputs, const Outlook& outlook) {
  return busiest_links(inputs.machine.topology, outlook.outcome.carried, outlook.makespan, 5);
}

std::string links_text(const JobsInputs& inputs, const Outlook& outlook) {
  std::vector<TextRow> rows{{"busiest links", "of", "alike", "carried", "used"}};
  for (const BusyLinks& link : busy(inputs, outlook))
    rows.push_back({link.link, link.part, std::to_string(link.alike), text(link.carried),
                    percent(link.utilisation)});
  return rows.size() > 1 ? "\n" + aligned(rows) : "";
}

std::string repeats_text(const Outlook& outlook) {
  switch (outlook.outcome.repeats) {
    case Repeats::nothing:
      return "every step was simulated";
    case Repeats::exactly:
      return "steps were simulated until they repeated themselves to the picosecond";
    case Repeats::nearly:
      return fmt::format(
          "steps never repeat exactly: after many, a span at whose ends jobs are as "
          "far to {} of a step was taken to repeat",
          percent(outlook.outcome.unlike));
  }
  return "";
}

std::string sums_text(const Outlook& outlook) {
  return fmt::format(
      "\nworst slowdown {}, all done after {}; GPUs compute {} of the time while their "
      "jobs run ({} were each alone)\n{}\n",
      fixed(outlook.worst_slowdown, 4), rounded_text(outlook.makespan), percent(outlook.computing),
      percent(outlook.computing_alone), repeats_text(outlook));
}

std::string memory_text(const JobsInputs& inputs) {
  std::string text;
  for (const Job& job : inputs.machine.jobs)
    if (!job.fits)
      text += fmt::format(
          "{} does not fit in the memory of its GPUs; quintet simulate has what "
          "fills it\n",
          job.entry.name);
  return text;
}

JsonValue json_of(const JobsInputs& inputs, const NamedOutlook& shown) {
  JsonValue jobs = JsonValue::array();
  for (std::size_t job = 0; job < shown.decisions.size(); ++job) {
    const JobOutlook& its = shown.outlook.jobs[job];
    const JobDecision& decided = shown.decisions[job];
    jobs.push_back({{"name", entry(inputs, job).name},
                    {"steps", entry(inputs, job).steps},
                    {"steps_simulated", shown.outlook.outcome.jobs[job].walked.size()},
                    {"fits_memory", inputs.machine.jobs[job].fits},
                    {"alone_s", its.alone.value},
                    {"step_s", its.step.value},
                    {"waits_s", its.waits.value},
                    {"finish_s", its.finish.value},
                    {"slowdown", its.slowdown},
                    {"routing", name_of(decided.routing)},
                    {"hash_seed", decided.hash_seed},
                    {"priority", decided.traffic.priority},
                    {"weight", decided.traffic.weight},
                    {"offset_s", decided.offset.value},
                    {"pace_s", decided.pace.value},
                    {"slots", decided.slots}});
  }
  JsonValue links = JsonValue::array();
  for (const BusyLinks& link : busy(inputs, shown.outlook))
    links.push_back({{"link", link.link},
                     {"part", link.part},
                     {"alike", link.alike},
                     {"carried_bytes", link.carried.value},
                     {"used", link.utilisation}});
  constexpr const char* repeats[] = {"nothing", "exactly", "nearly"};
  return {{"name", shown.name},
          {"jobs", std::move(jobs)},
          {"worst_slowdown", shown.outlook.worst_slowdown},
          {"makespan_s", shown.outlook.makespan.value},
          {"gpus_computing", shown.outlook.computing},
          {"gpus_computing_alone", shown.outlook.computing_alone},
          {"repeats", repeats[static_cast<std::size_t>(shown.outlook.outcome.repeats)]},
          {"busiest_links", std::move(links)}};
}

JsonValue root_json(const JobsInputs& inputs) {
  return {{"schema_version", 1},
          {"file", inputs.path},
          {"topology", inputs.machine.topology.name},
          {"costs", inputs.costs_file}};
}

NamedOutlook shown_of(const JobChoice& choice) {
  return {choice.name, choice.decisions, choice.outlook};
}

TextRow row_of(const JobChoice& choice) {
  return {choice.name, fixed(choice.outlook.worst_slowdown, 4),
          rounded_text(choice.outlook.makespan), percent(choice.outlook.computing)};
}

}  // namespace

std::string hosts_of_slots(const std::vector<int>& slots, int slots_of_host) {
  std::set<int> hosts;
  for (const int slot : slots) hosts.insert(slot / slots_of_host);
  std::string text;
  for (auto host = hosts.begin(); host != hosts.end();) {
    const int first = *host;
    int last = first;
    while (++host != hosts.end() && *host == last + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (last > first) text += fmt::format("-{}", last);
  }
  return text;
}

std::string jobs_report_text(const JobsInputs& inputs, const NamedOutlook& shown) {
  return head_text(inputs) + "  placement  " + shown.name + "\n\n" + times_text(inputs, shown) +
         sums_text(shown.outlook) + "\n" + places_text(inputs, shown) +
         links_text(inputs, shown.outlook) + memory_text(inputs);
}

std::string chosen_report_text(const JobsInputs& inputs, const Chosen& chosen,
                               const ChooseWish& wish) {
  std::vector<TextRow> rows{{"way", "worst slowdown", "all done after", "GPUs compute"}};
  for (const JobChoice& each : chosen.baselines) rows.push_back(row_of(each));
  rows.push_back(row_of(chosen.best));
  rows.back().front() = "chosen";
  const NamedOutlook best = shown_of(chosen.best);
  return head_text(inputs) +
         fmt::format("  chosen     {}\n             of {} ways simulated, for the least {}\n\n",
                     chosen.best.name, chosen.simulated, name_of(wish.minimised)) +
         aligned(rows) + "\n" + times_text(inputs, best) + sums_text(best.outlook) + "\n" +
         places_text(inputs, best) + links_text(inputs, best.outlook) + memory_text(inputs);
}

std::optional<double> predicted_ratio(const JobsInputs& inputs, const PublishedRatio& published,
                                      const PolicyCompared& compared) {
  const Outlook &without = compared.without.outlook, &with = compared.with.outlook;
  const bool alone = published.policy == Policy::none;
  if (!alone && published.policy != compared.policy) return std::nullopt;
  if (published.job.empty())
    return alone ? without.computing / without.computing_alone : with.computing / without.computing;
  for (std::size_t job = 0; job < without.jobs.size(); ++job)
    if (entry(inputs, job).name == published.job)
      return alone ? without.jobs[job].step / without.jobs[job].alone
                   : with.jobs[job].step / without.jobs[job].step;
  return std::nullopt;
}

std::string published_text(const JobsInputs& inputs, const PolicyCompared& compared) {
  std::vector<TextRow> rows{{"published ratio", "published", "here", "off by"}};
  for (const PublishedRatio& each : inputs.file.published)
    if (const auto here = predicted_ratio(inputs, each, compared))
      rows.push_back({shown(each.what, 70), fixed(each.ratio, 3), fixed(*here, 3),
                      fmt::format("{} %", signed_fixed(100 * (*here / each.ratio - 1.0), 1))});
  return rows.size() > 1 ? "\n" + aligned(rows) : "";
}

std::string policy_report_text(const JobsInputs& inputs, const PolicyCompared& compared) {
  std::vector<TextRow> rows{{"job", "alone", "without", "with", "step changes by"}};
  const Outlook &without = compared.without.outlook, &with = compared.with.outlook;
  for (std::size_t job = 0; job < without.jobs.size(); ++job)
    rows.push_back(
        {entry(inputs, job).name, rounded_text(without.jobs[job].alone),
         rounded_text(without.jobs[job].step), rounded_text(with.jobs[job].step),
         fmt::format("{} %",
                     signed_fixed(100 * (with.jobs[job].step / without.jobs[job].step - 1.0), 1))});
  rows.push_back(
      {"GPUs compute", percent(without.computing_alone), percent(without.computing),
       percent(with.computing),
       fmt::format("{} %", signed_fixed(100 * (with.computing / without.computing - 1.0), 1))});
  return fmt::format("\n{} beside the same jobs left as they are\n", name_of(compared.policy)) +
         aligned(rows);
}

std::string jobs_report_json(const JobsInputs& inputs, const PolicyCompared& compared) {
  JsonValue root = root_json(inputs);
  root["policy"] = name_of(compared.policy);
  root["result"] = json_of(inputs, compared.with);
  if (compared.policy != Policy::none) root["without"] = json_of(inputs, compared.without);
  JsonValue published = JsonValue::array();
  for (const PublishedRatio& each : inputs.file.published)
    if (const auto here = predicted_ratio(inputs, each, compared))
      published.push_back({{"what", each.what},
                           {"source", each.source},
                           {"published", each.ratio},
                           {"here", *here}});
  root["published"] = std::move(published);
  return root.dump(2) + "\n";
}

std::string chosen_report_json(const JobsInputs& inputs, const Chosen& chosen,
                               const ChooseWish& wish) {
  JsonValue root = root_json(inputs);
  root["minimised"] = name_of(wish.minimised);
  root["simulated"] = chosen.simulated;
  root["result"] = json_of(inputs, shown_of(chosen.best));
  JsonValue baselines = JsonValue::array();
  for (const JobChoice& each : chosen.baselines)
    baselines.push_back(json_of(inputs, shown_of(each)));
  root["baselines"] = std::move(baselines);
  return root.dump(2) + "\n";
}

}  // namespace quintet
