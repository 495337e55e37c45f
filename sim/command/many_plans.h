// Many plans in one table: what `quintet simulate` answers to lists of values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/answer/answer.h"
#include "sim/command/inputs.h"
#include "sim/command/report.h"
#include "sim/explain/breakdown.h"
#include "sim/simulate/predict.h"

namespace quintet {

struct ComparedPlan {
  Plan plan;
  std::string topology;  // what its machine is called, with its faults
  std::string machine;   // "DGX H100, 16 hosts: 16 x 8 H100-SXM-80GB"
  int hosts = 1;         // of the machine
  std::string costs;     // by which table
  Answer answer;
  RankBreakdown mean;
};

struct ManyPlans {
  std::vector<ComparedPlan> rows;  // in the order of order_of(), the fastest first
  std::vector<RefusedPlan> refused;
};

struct ManyAsked {
  PredictOptions options;  // but for `compile`, which the inputs have
  int threads = 1;         // at once
  PublishedResiduals published;
  std::optional<RunLength> run = {};            // of a whole run
  std::vector<std::optional<Bill>> bills = {};  // one per inputs; empty: no money is asked for
  std::function<void(double share)> progress = [](double) {};  // the share done
};

// Predicts each plan. A plan that cannot be predicted is refused, and the others are answered.
ManyPlans many_plans(const std::vector<Inputs>& inputs, const ManyAsked& asked);

// `about`: model, machine and costs. Reasons of refusal are counted, those most frequent first.
std::string many_text(const ManyPlans& many, const ReportInput& about);
std::string refused_text(const ManyPlans& many);
// A line per plan in the table's order (plan_rows_csv).
std::string many_csv(const ManyPlans& many);
enum class ManyAs { text, json, csv };
std::string many_as(ManyAs as, const ManyPlans& many, const ReportInput& about);
// {"schema_version": 1, "model", "topology", "costs", "plans": [{"name", "fits", "memory_verdict",
//  "step_s", "mfu", "hfu", "tokens_per_s", "tokens_per_s_per_gpu", "compute_s", "bubble_s",
//  "memory_bytes", "capacity_bytes", "topology", "machine", "hosts", "machine_faults", "costs",
//  "interval": null or {"low_s", "high_s", "rests_on"}, "run", "money" (as of one plan), "plan":
//  {...}}] in the table's order, "refused": [{"name", "reason"}]}
std::string many_json(const ManyPlans& many, const ReportInput& about);

}  // namespace quintet
