// What the caller gave, as the verbs' inputs.
#pragma once

#include <vector>

#include "quintet/predict.h"
#include "sim/command/inputs.h"
#include "sim/simulate/predict.h"

namespace quintet::api {

// Throws Failure. `plans` empty: what options.set says. As read_inputs() gives them.
std::vector<Inputs> asked_inputs(const Model& model, const std::vector<Plan>& plans,
                                 const Topology& topology, const PredictOptions& options);

quintet::PredictOptions own_options(const PredictOptions& options);

}  // namespace quintet::api
