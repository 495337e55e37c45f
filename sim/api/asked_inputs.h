// What the caller gave, as the verbs' inputs.
#pragma once

#include <vector>

#include "quintet/predict.h"
#include "sim/command/inputs.h"
#include "sim/simulate/predict.h"

namespace quintet::api {

struct AskedInputs {
  std::vector<Inputs> inputs;  // as read_inputs() gives them
  FieldChanges prices;         // one set for all
};

// Throws Failure. `plans` empty: what options.set says.
AskedInputs asked_inputs(const Model& model, const std::vector<Plan>& plans,
                         const Topology& topology, const PredictOptions& options);

quintet::PredictOptions own_options(const PredictOptions& options);

}  // namespace quintet::api
