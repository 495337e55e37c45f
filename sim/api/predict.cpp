#include "quintet/predict.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/api/asked_inputs.h"
#include "sim/api/checked.h"
#include "sim/api/inside.h"
#include "sim/api/shown_numbers.h"
#include "sim/api/shown_timeline.h"
#include "sim/base/progress_line.h"
#include "sim/command/money_wish.h"
#include "sim/command/plan_traces.h"
#include "sim/command/predicted_plan.h"
#include "sim/command/report_header.h"
#include "sim/plan/plan_file.h"
#include "sim/timeline/chosen_ranks.h"

namespace quintet::api {
namespace {

Inputs one_of(std::vector<Inputs> inputs) {
  Inputs& one = inputs.front();
  for (const quintet::RefusedPlan& refused : one.refused)
    throw Failure(refused.error.where, refused.error.what);
  if (inputs.size() > 1 || one.plans.size() > 1)
    throw Failure("set", "one value of each field is taken here; sweep takes several");
  return std::move(one);
}

}  // namespace

Prediction::Prediction(std::unique_ptr<const Inside> inside) : inside_(std::move(inside)) {}
Prediction::Prediction(Prediction&&) noexcept = default;
Prediction& Prediction::operator=(Prediction&&) noexcept = default;
Prediction::~Prediction() = default;

const std::string& Prediction::name() const {
  return inside_->predicted().name;
}

Numbers Prediction::numbers() const {
  return shown_numbers(inside_->predicted().answer);
}

std::string Prediction::json() const {
  return report_json(inside_->report);
}

std::string Prediction::text() const {
  return report_text(inside_->report, MemoryShown::most_telling);
}

std::string Prediction::plan_json() const {
  return plan_text(inside_->plan);
}

Timeline Prediction::timeline() const {
  return shown_timeline(inside_->predicted().prediction.timeline);
}

Timeline Prediction::timeline(const std::vector<int>& ranks) const {
  const quintet::Prediction& prediction = inside_->predicted().prediction;
  const int all = static_cast<int>(prediction.track_of_rank.size());
  for (const int rank : ranks)
    if (rank < 0 || rank >= all)
      throw Failure("ranks", fmt::format("expected 0 to {}, found {}", all - 1, rank));
  return shown_timeline(with_ranks(prediction.timeline, ranks, prediction.track_of_rank));
}

void Prediction::write_trace(const std::string& path) const {
  check(write_traces({path, "", true}, inside_->report, {path}));
}

namespace {

std::optional<RunLength> run_of(const PredictOptions& options) {
  if (!options.tokens) return std::nullopt;
  return RunLength{*options.tokens, RunUnit::tokens};
}

}  // namespace

Prediction predict(const Model& model, const Plan& plan, const Topology& topology,
                   const PredictOptions& options) {
  AskedInputs all = asked_inputs(model, {plan}, topology, options);
  const Inputs inputs = one_of(std::move(all.inputs));
  const PublishedResiduals residuals = checked(shipped_residuals());
  AnswerContext context{inputs.topology, inputs.costs, inputs.stack, residuals, run_of(options)};
  context.bill = checked(bill_wished({}, all.prices, inputs.topology, options.tokens.has_value()));
  ProgressLine nothing(ProgressShown::never);
  const Asked asked{own_options(options), options.assumptions, true, inputs, context, nothing};
  auto inside = std::make_unique<Prediction::Inside>();
  inside->plan = inputs.plans.front().plan;
  inside->report = report_header(inputs);
  inside->report.residuals = residuals.source;
  inside->report.plans.push_back(checked(predict_plan(asked, inputs.plans.front())));
  return Prediction(std::move(inside));
}

}  // namespace quintet::api
