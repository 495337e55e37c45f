// quintet plan replicator: which replicator reaches a loss first on a machine.
#pragma once

#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/command/inputs.h"
#include "sim/training_run/replicator_choice.h"

namespace quintet {

// What a command line that measures a plan's operators must say, beside what a candidate changes.
struct CalibrateLine {
  std::string model, topology, plan;  // as they were named
  Plan of_file;                       // the plan as `plan` has it
  std::vector<std::string> machine;   // further words about the machine: "--hosts 2"
};

struct ReplicatorChoice {
  LossCurves curves;
  double loss = 0;                    // to be reached
  std::vector<RatedReplicator> rows;  // the fastest first
  std::vector<std::string> refused;   // by curve: why its plan is not possible, or has no price
  // By curve: the command that measures what it lacks; empty where nothing is lacking, or the
  // machine has GPUs.
  std::vector<std::string> measure;
  std::vector<std::string> remarks;  // where the curves are of something else than the plan's
};

// Each curve's replicator, optimizer and clipping in the place of the plan's, predicted; where only
// some steps have an exchange the mean step. Of what cannot be priced it says why. Fails where
// nothing can be priced at all.
Result<ReplicatorChoice> choose_replicator(const Inputs& inputs, const Plan& plan,
                                           LossCurves curves, double within,
                                           const CalibrateLine& calibrate);
// None: no curve reaches the loss.
std::optional<Plan> chosen_plan(const Plan& plan, const ReplicatorChoice& choice);

std::string choice_text(const ReplicatorChoice& choice);
// {"schema_version": 1, "loss", "curves", "remarks", "rows": [{"curve", "replicator", "step_s",
//  "steps", "time_s", "why_not", "measure"}]}, the fastest first; null: not known.
std::string choice_json(const ReplicatorChoice& choice);

}  // namespace quintet
