// quintet plan replicator: which replicator reaches a loss first on a machine.
#pragma once

#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/command/inputs.h"
#include "sim/training_run/replicator_choice.h"

namespace quintet {

struct ReplicatorChoice {
  LossCurves curves;
  double loss = 0;                    // to be reached
  std::vector<RatedReplicator> rows;  // the fastest first
  std::vector<std::string> refused;   // by curve: why its plan is not possible; else empty
};

// Each curve's replicator, optimizer and clipping in the place of the plan's, predicted; where only
// some steps have an exchange the mean step. Fails where nothing can be predicted at all.
Result<ReplicatorChoice> choose_replicator(const Inputs& inputs, const Plan& plan,
                                           LossCurves curves, double within);
// None: no curve reaches the loss.
std::optional<Plan> chosen_plan(const Plan& plan, const ReplicatorChoice& choice);

std::string choice_text(const ReplicatorChoice& choice);

}  // namespace quintet
