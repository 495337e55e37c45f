// One plan of many that are asked about: its prediction, its busiest links and its answer.
#pragma once

#include "sim/answer/answer.h"
#include "sim/base/progress_line.h"
#include "sim/command/inputs.h"
#include "sim/command/report.h"

namespace quintet {

// What is the same of every plan.
struct Asked {
  PredictOptions options;
  bool assumptions = false;  // predicts again under each of sim/answer/assumptions.h
  bool quiet = false;        // does not say on stderr how long a long walk will take
  const Inputs& inputs;
  const AnswerContext& context;
  ProgressLine& progress;
};

// Those of published steps; none where they do not come with this copy: predictions then know no
// errors of others.
Result<PublishedResiduals> shipped_residuals();

// The error with the plan's and the cost table's files: the table is named by its name, the user
// knows it by its file.
Error with_files(const Error& error, const PlanInput& plan, const Inputs& inputs);

// Errors: those of predict.h, with files.
Result<NamedPrediction> predict_plan(const Asked& asked, const PlanInput& input);

}  // namespace quintet
