// What an evaluation of a run takes, and what a checkpoint keeps.
#pragma once

#include "sim/simulate/predict.h"

namespace quintet {

// Forward passes over run.evaluation.samples, dealt to the replicas in micro-batches of at most the
// plan's size, on the machine that trains; the loss alone is asked for. Where a step's samples are
// not its sequences (run.batch), as many sequences as stand for them. Not counted: reading the
// samples, and what the framework does between training and evaluation.
Result<Seconds> evaluation_time(const Model& model, const Plan& plan, const Topology& topology,
                                const CostTable& costs, const PredictOptions& options);

// The plan by which that is done: so many micro-batches, none more than a pipeline asks for.
Plan evaluation_plan(const Plan& plan);

// Weights and what the optimizer keeps of each, once: master weights (or those computed with) and
// moments.
Bytes checkpoint_size(const Model& model, const Parallelism& parallelism);

}  // namespace quintet
