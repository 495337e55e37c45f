// `quintet simulate` of lists of values: many plans, one table.
#pragma once

#include <string>
#include <vector>

#include "sim/command/inputs.h"
#include "sim/command/many_plans.h"
#include "sim/command/report.h"
#include "sim/simulate/predict.h"
#include "sim/usage/verb.h"

namespace quintet {

struct ManyWish {
  ManyAsked asked;  // threads 0: one per core; `published` and `progress` are found here
  ManyAs as = ManyAs::text;
  bool quiet = false;
  std::string output;  // where the fastest plan that fits is written; empty: nowhere
};

// What stands above the table: of the first inputs, and how many more machines there are.
ReportInput many_header(const std::vector<Inputs>& inputs);

// `done` where any plan fits.
ExitCode compare_many(const ManyWish& wish, const std::vector<Inputs>& inputs);

}  // namespace quintet
