// What the simulator says of a step with stages and links as they were measured. Beside what people
// are told before a run (engine/before/step_estimate.h), the only place of the engine that looks
// into a prediction: all that depends on it is which of several plans ranks follow next.
#pragma once

#include <string>

#include "sim/adapt/controller.h"
#include "sim/base/result.h"
#include "sim/model/model.h"
#include "sim/parallelism/compile.h"
#include "sim/topology/topology.h"

namespace quintet::engine {

// `costs`: a file or shipped table, of all but the stages' passes; empty: the shipped one of CPU
// cores. Model and topology must outlive what is returned.
Result<PredictStep> predicted_step(const Model& model, const Topology& topology,
                                   const CompileOptions& compile, const std::string& costs);

}  // namespace quintet::engine
