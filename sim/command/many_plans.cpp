#include "sim/command/many_plans.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "sim/base/parallel.h"
#include "sim/base/shown_text.h"
#include "sim/base/text_table.h"
#include "sim/json/json_value.h"
#include "sim/plan/plan_file.h"
#include "sim/usage/out_of_memory.h"

namespace quintet {
namespace {

struct Job {
  const Inputs* inputs;
  const PlanInput* plan;
  std::optional<ComparedPlan> row;
  std::optional<Error> error;
};

void predict_row(Job& job, PredictOptions options) {
  const Inputs& inputs = *job.inputs;
  options.compile = inputs.compile;
  const Result<Prediction> prediction = making(
      "the prediction of " + job.plan->plan.name, "less is needed with fewer --threads", [&] {
        return predict(inputs.model, job.plan->plan, inputs.topology, inputs.costs, options);
      });
  if (!prediction) {
    job.error = Error{job.plan->file, prediction.error().text()};
    return;
  }
  ComparedPlan row;
  row.plan = job.plan->plan;
  row.topology = inputs.topology.name;
  row.machine = inputs.topology.name + ": " + hosts_text(inputs.topology);
  row.hosts = static_cast<int>(inputs.topology.hosts.size());
  row.costs = inputs.costs.name;
  row.faults = inputs.topology.faults;
  row.summary = prediction->summary;
  row.mean = prediction->mean;
  row.interval = step_interval(row.summary.step, prediction->interval, inputs.costs, std::nullopt);
  const MemoryReport& memory = prediction->memory;
  row.needed = total(fullest(memory).value_or(RankMemory{}));
  row.capacity = memory.capacity;
  row.fits = memory.capacity.value <= 0 || verdict(memory) == MemoryVerdict::fits;
  job.row = std::move(row);
}

std::string gibibytes(Bytes size) {
  constexpr double bytes_per_gibibyte = 1073741824.0;
  return fixed(size.value / bytes_per_gibibyte, 1);
}

bool several_machines(const ManyPlans& many) {
  return std::any_of(many.rows.begin(), many.rows.end(), [&](const ComparedPlan& row) {
    return row.machine != many.rows.front().machine;
  });
}

// Of machines side by side, the plan's and its machine's; "guess" where nothing was measured.
std::string named(const ComparedPlan& row, bool with_machine) {
  std::string name = shown(row.plan.name, 100);
  if (with_machine) name += " on " + shown(row.machine, 160);
  return name;
}

// "does not fit", "guess: 0.65 to 1.65 x"
std::string remark_of(const ComparedPlan& row) {
  std::string text = row.fits ? "" : "does not fit";
  if (row.costs.starts_with("guessed") && row.interval)
    text += fmt::format("{}guessed, {} to {} ms", text.empty() ? "" : "; ",
                        fixed(row.interval->low.value * 1e3, 0),
                        fixed(row.interval->high.value * 1e3, 0));
  return text;
}

TextRow line_of(const ComparedPlan& row, std::size_t place, int decimals, bool with_machine) {
  const double step = row.summary.step.value;
  const auto share = [&](Duration part) { return step > 0 ? seconds(part).value / step : 0.0; };
  return {
      fmt::format("{:>3}  {}", row.fits ? fmt::to_string(place) : "-", named(row, with_machine)),
      fixed(step * 1e3, decimals),
      row.summary.mfu > 0 ? hundredths(row.summary.mfu) : "",
      fixed(row.summary.tokens_per_second_per_gpu, 1),
      hundredths(share(row.mean.compute)),
      hundredths(share(row.mean.bubble)),
      gibibytes(row.needed),
      remark_of(row)};
}

// "80 layers do not divide evenly over 3 pieces" and "... over 6 pieces" are one reason.
std::string without_numbers(const std::string& reason) {
  std::string kind;
  for (const char letter : reason)
    if (!std::isdigit(static_cast<unsigned char>(letter)))
      kind += letter;
    else if (!kind.ends_with('#'))
      kind += '#';
  return kind;
}

std::vector<std::string> reasons_of(const RefusedPlan& plan) {
  std::vector<std::string> reasons;
  for (const Problem& problem : plan.problems)
    reasons.push_back(problem.field + ": " + problem.reason);
  if (reasons.empty()) reasons.push_back(plan.error.text());
  return reasons;
}

struct Reason {
  std::string example;
  int plans = 0;
};

std::vector<Reason> counted_reasons(const std::vector<RefusedPlan>& refused) {
  std::map<std::string, Reason> kinds;
  for (const RefusedPlan& plan : refused)
    for (const std::string& reason : reasons_of(plan)) {
      Reason& kind = kinds[without_numbers(reason)];
      if (kind.example.empty()) kind.example = reason;
      ++kind.plans;
    }
  std::vector<Reason> all;
  for (auto& [kind, reason] : kinds) all.push_back(std::move(reason));
  std::stable_sort(all.begin(), all.end(), [](const Reason& left, const Reason& right) {
    return left.plans > right.plans;
  });
  return all;
}

JsonValue interval_json(const std::optional<StepInterval>& interval) {
  if (!interval) return nullptr;
  return {{"low_s", interval->low.value},
          {"high_s", interval->high.value},
          {"rests_on", interval->rests_on}};
}

JsonValue row_json(const ComparedPlan& row) {
  return {{"name", row.plan.name},
          {"fits", row.fits},
          {"step_s", row.summary.step.value},
          {"mfu", row.summary.mfu},
          {"hfu", row.summary.hfu},
          {"tokens_per_s", row.summary.tokens_per_second},
          {"tokens_per_s_per_gpu", row.summary.tokens_per_second_per_gpu},
          {"compute_s", seconds(row.mean.compute).value},
          {"bubble_s", seconds(row.mean.bubble).value},
          {"memory_bytes", row.needed.value},
          {"capacity_bytes", row.capacity.value},
          {"topology", row.topology},
          {"machine", row.machine},
          {"hosts", row.hosts},
          {"machine_faults", row.faults},
          {"costs", row.costs},
          {"interval", interval_json(row.interval)},
          {"plan", JsonValue::parse(plan_text(row.plan))}};
}

// Quoted where it must be.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char each : text) quoted += each == '"' ? "\"\"" : std::string(1, each);
  return quoted + "\"";
}

}  // namespace

ManyPlans many_plans(const std::vector<Inputs>& inputs, const PredictOptions& options, int threads,
                     const std::function<void(double share)>& progress) {
  std::vector<Job> jobs;
  ManyPlans many;
  for (const Inputs& each : inputs) {
    for (const PlanInput& plan : each.plans) jobs.push_back({&each, &plan, {}, {}});
    for (RefusedPlan refused : each.refused) {
      if (inputs.size() > 1 && inputs.front().topology.name != inputs.back().topology.name)
        refused.file += " on " + each.topology.name;
      many.refused.push_back(std::move(refused));
    }
  }
  for_each_index(
      jobs.size(), threads, [&](std::size_t number) { predict_row(jobs[number], options); },
      progress);
  for (Job& job : jobs)
    if (job.row)
      many.rows.push_back(std::move(*job.row));
    else
      many.refused.push_back({job.plan->plan.name, *job.error});
  std::stable_sort(many.rows.begin(), many.rows.end(),
                   [](const ComparedPlan& left, const ComparedPlan& right) {
                     if (left.fits != right.fits) return left.fits;
                     return left.summary.step < right.summary.step;
                   });
  return many;
}

std::string many_text(const ManyPlans& many, const ReportInput& about) {
  double slowest = 0;
  for (const ComparedPlan& row : many.rows)
    slowest = std::max(slowest, row.summary.step.value * 1e3);
  std::vector<TextRow> table{
      {"", "plan", "step ms", "MFU %", "tokens/s/GPU", "compute %", "bubble %", "memory GiB", ""}};
  std::size_t fitting = 0;
  const bool machines = several_machines(many);
  for (const ComparedPlan& row : many.rows)
    table.push_back(line_of(row, row.fits ? ++fitting : 0, decimals_for(slowest), machines));
  std::string text = fmt::format("Model     {}\nMachine   {}\nCosts     {}\n\n", about.model,
                                 about.topology, about.costs);
  text += aligned(table);
  text += fmt::format("{} of {} plans fit in memory", fitting, many.rows.size());
  if (!many.rows.empty() && !machines && many.rows.front().capacity.value > 0)
    text += fmt::format(" ({} GiB)", gibibytes(many.rows.front().capacity));
  return text + "\n" + refused_text(many);
}

std::string refused_text(const ManyPlans& many) {
  constexpr std::size_t most = 10;
  if (many.refused.empty()) return "";
  std::string text = fmt::format("{} more cannot be:\n", many.refused.size());
  const std::vector<Reason> reasons = counted_reasons(many.refused);
  for (std::size_t i = 0; i < std::min(most, reasons.size()); ++i)
    text += fmt::format("{:>6}  {}{}\n", reasons[i].plans, reasons[i].plans > 1 ? "such as " : "",
                        reasons[i].example);
  if (reasons.size() > most)
    text +=
        fmt::format("        and for {} other reasons; --json has all\n", reasons.size() - most);
  return text;
}

std::string many_csv(const ManyPlans& many) {
  std::string text =
      "place,plan,machine,hosts,machine_faults,costs,fits,step_s,step_low_s,step_high_s,mfu,"
      "tokens_per_s,tokens_per_s_per_gpu,compute_s,bubble_s,memory_bytes,capacity_bytes\n";
  std::size_t place = 0;
  const auto known = [](double value) { return value > 0 ? fmt::to_string(value) : ""; };
  for (const ComparedPlan& row : many.rows) {
    const StepSummary& summary = row.summary;
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
        row.fits ? fmt::to_string(++place) : "", cell(row.plan.name), cell(row.machine), row.hosts,
        cell(fmt::format("{}", fmt::join(row.faults, "; "))), cell(row.costs), row.fits,
        summary.step.value, row.interval ? fmt::to_string(row.interval->low.value) : "",
        row.interval ? fmt::to_string(row.interval->high.value) : "", known(summary.mfu),
        summary.tokens_per_second, summary.tokens_per_second_per_gpu,
        seconds(row.mean.compute).value, seconds(row.mean.bubble).value, row.needed.value,
        known(row.capacity.value));
  }
  return text;
}

std::string many_as(ManyAs as, const ManyPlans& many, const ReportInput& about) {
  switch (as) {
    case ManyAs::text:
      return many_text(many, about);
    case ManyAs::json:
      return many_json(many, about);
    case ManyAs::csv:
      return many_csv(many);
  }
  return {};
}

std::string many_json(const ManyPlans& many, const ReportInput& about) {
  JsonValue json{{"schema_version", 1},         {"model", about.model},
                 {"topology", about.topology},  {"costs", about.costs},
                 {"plans", JsonValue::array()}, {"refused", JsonValue::array()}};
  for (const ComparedPlan& row : many.rows) json["plans"].push_back(row_json(row));
  for (const RefusedPlan& plan : many.refused)
    for (const std::string& reason : reasons_of(plan))
      json["refused"].push_back({{"name", plan.file}, {"reason", reason}});
  return json.dump(2) + "\n";
}

}  // namespace quintet
