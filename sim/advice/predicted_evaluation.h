// The evaluator that predicts (sim/simulate/predict.h): every step is walked at the fidelity asked
// for. A pure function of what it is given here and then.
#pragma once

#include <optional>
#include <string>

#include "sim/advice/evaluation.h"
#include "sim/confidence/residuals.h"
#include "sim/model/model.h"
#include "sim/money/prices.h"
#include "sim/simulate/predict.h"

namespace quintet {

struct PredictedBy {
  Model model;
  PredictOptions options;        // without progress: several steps are predicted at once
  std::optional<Prices> prices;  // of what a step costs
  std::string stack;             // for intervals (sim/confidence); empty: none was named
  PublishedResiduals published;
  // Whose stages the cost table has profiles of, where it has any: other layouts have no price.
  std::optional<Parallelism> profiled{};
};

Evaluator predicting(PredictedBy by);

}  // namespace quintet
