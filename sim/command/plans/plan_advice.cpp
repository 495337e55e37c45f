#include "sim/command/plans/plan_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "sim/advice/advice_json.h"
#include "sim/advice/advice_page.h"
#include "sim/advice/advice_text.h"
#include "sim/advice/predicted_evaluation.h"
#include "sim/base/parallel.h"
#include "sim/base/progress_line.h"
#include "sim/command/plans/usual_plan.h"
#include "sim/command/predicted_plan.h"
#include "sim/command/report_header.h"
#include "sim/money/prices_file.h"
#include "sim/usage/shipped.h"

namespace quintet {
namespace {

// Those that come with this copy may be missing; those that are named may not.
Result<std::optional<Prices>> prices_wished(const std::string& given) {
  const bool shipped = given.empty();
  const std::filesystem::path file =
      shipped ? data_directory() / "traces/prices.json" : std::filesystem::path(given);
  std::error_code unreadable;
  if (shipped && !std::filesystem::exists(file, unreadable)) return std::optional<Prices>{};
  Result<Prices> prices = read_prices(file);
  if (!prices) return prices.error();
  return std::optional<Prices>(std::move(*prices));
}

// The machine of the same file with more of its fields changed.
Rebuild rebuilding(const InputNames& names) {
  return [names](const FieldChanges& changes) -> Result<Machine> {
    InputNames changed = names;
    for (const FieldChange& each : changes) changed.asked.front().topology.push_back(each);
    Result<std::vector<Inputs>> inputs = read_inputs(changed);
    if (!inputs) return inputs.error();
    Inputs& first = inputs->front();
    return Machine{std::move(first.topology), std::move(first.costs)};
  };
}

int threads_of(const AdviceWish& wish) {
  if (wish.threads > 0) return wish.threads;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

Result<std::vector<TopPlan>> judged(const Inputs& inputs, const Machine& machine,
                                    const Evaluator& evaluator, int threads) {
  std::vector<Result<Evaluated>> found(inputs.plans.size(), Error{});
  for_each_index(inputs.plans.size(), threads,
                 [&](std::size_t i) { found[i] = evaluator.step(inputs.plans[i].plan, machine); });
  std::vector<TopPlan> top;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) return with_files(found[i].error(), inputs.plans[i], inputs);
    top.push_back({inputs.plans[i].plan, found[i]->step, found[i]->memory, found[i]->capacity,
                   found[i]->energy, found[i]->money});
  }
  return top;
}

}  // namespace

Result<Advice> advice_on(const AdviceWish& wish, const InputNames& names, const Inputs& inputs) {
  Result<std::optional<Prices>> prices = prices_wished(wish.prices);
  if (!prices) return prices.error();
  const Result<PublishedResiduals> residuals = shipped_residuals();
  if (!residuals) return residuals.error();
  PredictOptions options;
  options.compile = inputs.compile;
  PredictedBy by{inputs.model, options, *prices, inputs.stack, *residuals};
  if (!inputs.costs.stages.empty()) by.profiled = inputs.plans.front().plan.parallelism;
  const Evaluator evaluator = predicting(std::move(by));
  Machine machine{inputs.topology, inputs.costs};
  Result<std::vector<TopPlan>> top = judged(inputs, machine, evaluator, threads_of(wish));
  if (!top) return top.error();
  Result<UsualPlan> usual = usual_plan(inputs, top->front().plan);
  if (!usual) return Error{"the usual plan", usual.error().text()};
  const ReportInput header = report_header(inputs);
  ProgressLine progress(ProgressShown::on_terminal);
  Result<Advice> advice =
      advise({header.model, header.topology, std::move(*top), std::move(usual->plan),
              std::move(usual->is), std::move(machine), std::move(*prices), rebuilding(names)},
             evaluator, {threads_of(wish), [&](double share) { progress.show("advice", share); }});
  progress.clear();
  if (!advice) return with_files(advice.error(), inputs.plans.front(), inputs);
  return advice;
}

std::optional<Error> print_advice(const AdviceWish& wish, const Advice& advice) {
  const std::string text = wish.json ? advice_json(advice).dump(2) + "\n" : advice_text(advice);
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  if (!wish.pictures.wanted()) return std::nullopt;
  return write_pictures(wish.pictures, advice_page(advice));
}

}  // namespace quintet
