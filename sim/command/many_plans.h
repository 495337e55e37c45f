// Many plans in one table: what `quintet simulate` answers to lists of values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/command/inputs.h"
#include "sim/command/report.h"
#include "sim/confidence/step_interval.h"
#include "sim/explain/breakdown.h"
#include "sim/explain/memory_report.h"
#include "sim/explain/summary.h"
#include "sim/simulate/predict.h"

namespace quintet {

struct ComparedPlan {
  Plan plan;
  std::string topology;  // what its machine is called, with its faults
  std::string machine;   // "DGX H100, 16 hosts: 16 x 8 H100-SXM-80GB"
  int hosts = 1;         // of the machine
  std::string costs;     // by which table
  std::vector<std::string> faults;
  StepSummary summary;
  RankBreakdown mean;
  Bytes needed, capacity;  // of the fullest GPU's memory; capacity 0: not known
  bool fits = true;
  std::optional<StepInterval> interval;  // by the cost table alone
};

struct ManyPlans {
  std::vector<ComparedPlan> rows;  // those that fit before those that do not, the fastest first
  std::vector<RefusedPlan> refused;
};

// Predicts each plan, `threads` at once; of options the compile options are the inputs'. A plan
// that cannot be predicted is refused, and the others are answered. `progress` gets the share done.
ManyPlans many_plans(const std::vector<Inputs>& inputs, const PredictOptions& options, int threads,
                     const std::function<void(double share)>& progress);

// `about`: model, machine and costs. Reasons of refusal are counted, those most frequent first.
std::string many_text(const ManyPlans& many, const ReportInput& about);
std::string refused_text(const ManyPlans& many);
// A header, then a line per plan in the table's order; what is not known is empty. RFC 4180.
std::string many_csv(const ManyPlans& many);
enum class ManyAs { text, json, csv };
std::string many_as(ManyAs as, const ManyPlans& many, const ReportInput& about);
// {"schema_version": 1, "model", "topology", "costs", "plans": [{"name", "fits", "step_s", "mfu",
//  "hfu", "tokens_per_s_per_gpu", "memory_bytes", "capacity_bytes", "topology", "machine",
//  "hosts", "machine_faults", "costs", "interval": null or {"low_s", "high_s", "rests_on"}, "plan":
//  {...}}] in the table's order, "refused": [{"name", "reason"}]}
std::string many_json(const ManyPlans& many, const ReportInput& about);

}  // namespace quintet
