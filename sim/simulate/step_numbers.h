// A step's FLOPs, tokens, GPUs, power and price: what its time is divided by.
#pragma once

#include "sim/explain/summary.h"
#include "sim/model/model.h"
#include "sim/plan/plan.h"
#include "sim/samples/sample_work.h"
#include "sim/simulate/predict.h"
#include "sim/topology/topology.h"

namespace quintet {

// `dealt`: empty where all samples are as long as the plan's sequences.
StepNumbers step_numbers(const Model& model, const Plan& plan, const DealtSamples& dealt,
                         const Topology& topology, const PredictOptions& options);

}  // namespace quintet
