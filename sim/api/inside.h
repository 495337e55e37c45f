// What predictions and traces are inside: the simulator's own values.
#pragma once

#include <string>

#include "quintet/predict.h"
#include "quintet/timeline.h"
#include "sim/command/inputs.h"
#include "sim/command/report.h"

namespace quintet::api {

struct Prediction::Inside {
  quintet::Plan plan;
  ReportInput report;  // of this plan alone

  const NamedPrediction& predicted() const { return report.plans.front(); }
};

struct Trace::Inside {
  std::string path;
  quintet::Timeline timeline;
};

}  // namespace quintet::api
