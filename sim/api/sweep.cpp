#include <algorithm>
#include <thread>

#include "quintet/predict.h"
#include "sim/api/asked_inputs.h"
#include "sim/api/checked.h"
#include "sim/api/shown_numbers.h"
#include "sim/command/compare_many.h"
#include "sim/command/many_plans.h"
#include "sim/command/predicted_plan.h"
#include "sim/plan/plan_file.h"

namespace quintet::api {
namespace {

SweepRow shown_row(const ComparedPlan& row) {
  SweepRow shown{row.plan.name, row.topology, shown_numbers(row.answer), {}};
  shown.plan = {
      {row.plan.name, plan_text(row.plan), ""}, row.plan.name, world_size(row.plan.parallelism)};
  return shown;
}

}  // namespace

Sweep sweep(const Model& model, const std::vector<Plan>& plans, const Topology& topology,
            const PredictOptions& options, int threads) {
  const std::vector<Inputs> inputs = asked_inputs(model, plans, topology, options).inputs;
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  quintet::PredictOptions own = own_options(options);
  own.progress = nullptr;
  const ManyPlans many =
      many_plans(inputs, {own, threads > 0 ? threads : cores, checked(shipped_residuals())});
  Sweep sweep;
  for (const ComparedPlan& row : many.rows) sweep.rows.push_back(shown_row(row));
  for (const quintet::RefusedPlan& refused : many.refused)
    sweep.refused.push_back({refused.file, refused.error.text()});
  sweep.json = many_json(many, many_header(inputs));
  return sweep;
}

}  // namespace quintet::api
