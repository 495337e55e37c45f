#include "sim/command/many_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "sim/answer/answer_json.h"
#include "sim/answer/money_answer.h"
#include "sim/answer/plan_rows.h"
#include "sim/base/parallel.h"
#include "sim/json/json_value.h"
#include "sim/plan/plan_file.h"
#include "sim/price/ways.h"
#include "sim/usage/out_of_memory.h"

namespace quintet {
namespace {

struct Job {
  const Inputs* inputs;
  const std::optional<Bill>* bill;
  const PlanInput* plan;
  WaysPool* ways;  // of the inputs' topology
  std::optional<ComparedPlan> row;
  std::optional<Error> error;
};

void predict_row(Job& job, const ManyAsked& asked) {
  const Inputs& inputs = *job.inputs;
  PredictOptions options = asked.options;
  options.compile = inputs.compile;
  options.shown = ShownTimeline::without_repetition;
  options.threads = 1;  // others are predicted beside it
  const Result<Prediction> prediction = making(
      "the prediction of " + job.plan->plan.name, "less is needed with fewer --threads", [&] {
        return job.ways->lend([&](KnownWays& ways) {
          options.ways = &ways;
          return predict(inputs.model, job.plan->plan, inputs.topology, inputs.costs, options);
        });
      });
  if (!prediction) {
    job.error = Error{job.plan->file, prediction.error().text()};
    return;
  }
  const AnswerContext context{inputs.topology, inputs.costs, inputs.stack,
                              asked.published, asked.run,    *job.bill};
  job.row = ComparedPlan{job.plan->plan,
                         inputs.topology.name,
                         inputs.topology.name + ": " + hosts_text(inputs.topology),
                         static_cast<int>(inputs.topology.hosts.size()),
                         inputs.costs.name,
                         answer_of(job.plan->plan, job.plan->plan.name, *prediction, context),
                         prediction->mean};
}

bool several_machines(const ManyPlans& many) {
  return std::any_of(many.rows.begin(), many.rows.end(), [&](const ComparedPlan& row) {
    return row.machine != many.rows.front().machine;
  });
}

bool fits(const ComparedPlan& row) {
  return row.answer.fit == MemoryFit::fits || row.answer.fit == MemoryFit::not_known;
}

std::vector<PlanRow> rows_of(const ManyPlans& many) {
  std::vector<PlanRow> rows;
  for (const ComparedPlan& row : many.rows)
    rows.push_back({row.plan.name, row.answer, row.mean, row.machine, row.costs});
  return rows;
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
  const StepSummary& summary = row.answer.summary;
  JsonValue made{{"name", row.plan.name},
                 {"fits", fits(row)},
                 {"memory_verdict", name_of(row.answer.fit)},
                 {"step_s", summary.step.value},
                 {"mfu", summary.mfu},
                 {"hfu", summary.hfu},
                 {"tokens_per_s", summary.tokens_per_second},
                 {"tokens_per_s_per_gpu", summary.tokens_per_second_per_gpu},
                 {"compute_s", seconds(row.mean.compute).value},
                 {"bubble_s", seconds(row.mean.bubble).value},
                 {"memory_bytes", row.answer.memory_needed.value},
                 {"capacity_bytes", row.answer.memory_capacity.value},
                 {"topology", row.topology},
                 {"machine", row.machine},
                 {"hosts", row.hosts},
                 {"machine_faults", row.answer.faults},
                 {"costs", row.costs},
                 {"interval", interval_json(row.answer.interval)},
                 {"run", run_json(row.answer.run)},
                 {"money", money_json(row.answer.money, row.answer.run)},
                 {"plan", JsonValue::parse(plan_text(row.plan))}};
  add_periodic(row.answer, made);
  return made;
}

std::vector<Job> jobs_of(const std::vector<Inputs>& inputs, const ManyAsked& asked,
                         std::deque<WaysPool>& pools) {
  static const std::optional<Bill> none;
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    WaysPool& ways = pools.emplace_back(inputs[i].topology);
    for (const PlanInput& plan : inputs[i].plans)
      jobs.push_back(
          {&inputs[i], asked.bills.empty() ? &none : &asked.bills[i], &plan, &ways, {}, {}});
  }
  return jobs;
}

// In the order in which they are compared.
std::vector<ComparedPlan> in_order(std::vector<ComparedPlan> rows) {
  std::vector<Answer> answers;
  for (const ComparedPlan& row : rows) answers.push_back(row.answer);
  std::vector<ComparedPlan> ordered;
  for (const std::size_t at : order_of(answers, true)) ordered.push_back(std::move(rows[at]));
  return ordered;
}

}  // namespace

ManyPlans many_plans(const std::vector<Inputs>& inputs, const ManyAsked& asked) {
  ManyPlans many;
  for (const Inputs& each : inputs)
    for (RefusedPlan refused : each.refused) {
      if (inputs.size() > 1 && inputs.front().topology.name != inputs.back().topology.name)
        refused.file += " on " + each.topology.name;
      many.refused.push_back(std::move(refused));
    }
  std::deque<WaysPool> pools;
  std::vector<Job> jobs = jobs_of(inputs, asked, pools);
  for_each_index(
      jobs.size(), asked.threads, [&](std::size_t number) { predict_row(jobs[number], asked); },
      asked.progress);
  for (Job& job : jobs)
    if (job.row)
      many.rows.push_back(std::move(*job.row));
    else
      many.refused.push_back({job.plan->plan.name, *job.error});
  many.rows = in_order(std::move(many.rows));
  return many;
}

std::string many_text(const ManyPlans& many, const ReportInput& about) {
  std::string text = fmt::format("Model     {}\nMachine   {}\nCosts     {}\n\n", about.model,
                                 about.topology, about.costs);
  text += plan_rows_text(rows_of(many));
  const auto fitting = std::count_if(many.rows.begin(), many.rows.end(), fits);
  text += fmt::format("{} of {} plans fit in memory", fitting, many.rows.size());
  if (const Bytes capacity = many.rows.empty() ? Bytes{} : many.rows.front().answer.memory_capacity;
      capacity.value > 0 && !several_machines(many))
    text += " (" + fmt::format("{:.1f} GiB", capacity.value / 1073741824.0) + ")";
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
  return plan_rows_csv(rows_of(many));
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
