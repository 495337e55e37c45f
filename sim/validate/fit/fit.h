// The free parameters of one software stack, estimated on rows: what they come to, how sure that
// is, and how well they predict the models that they were not estimated on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/validate/fit/tunable_shelf.h"
#include "sim/validate/rows/published_row.h"
#include "sim/validate/statistics.h"
#include "sim/validate/validation.h"

namespace quintet {

struct FitOptions {
  int threads = 1;
  int resamplings = 1000;
  std::function<void(double share)> progress;  // of the point being tried
};

// How good predictions of rows are; of a fit judged by memory the verdicts and peaks count.
struct FitErrors {
  ErrorSummary time;    // of the step
  ErrorSummary memory;  // of the peak, where it was published
  int verdicts = 0, wrong_verdicts = 0;
};

// The one number that fits and cross-validation compare: MAPE of the step time; judged by memory,
// the share of wrong verdicts plus the MAPE of the peak.
double error_of(const FitErrors& errors, JudgedBy judged_by);

struct FittedParameter {
  ShelfParameter shipped;
  std::string estimate;   // JSON text
  std::string low, high;  // 90 % of resamplings lie between; of choices: both the estimate
  double agreement = 0;   // of choices: share of resamplings that choose the same
};

struct ModelLeftOut {
  std::string model;
  int rows = 0;
  FitErrors with, without;             // of its rows, estimated on all rows and on the others'
  std::vector<std::string> estimates;  // on the others' rows, JSON texts
};

// One search over the parameters with the same judge.
struct Fit {
  JudgedBy judged_by = JudgedBy::step_time;
  int rows = 0;
  std::vector<FittedParameter> parameters;
  FitErrors shipped, fitted;
  FitErrors left_out;                // every row by the estimate without its model
  std::vector<ModelLeftOut> models;  // in order of appearance; with one model none is left out
  int points = 0;                    // settings tried
};

// Left out over fitted error; none with one model or when the fit is exact.
std::optional<double> cross_validation_ratio(const Fit& fit);

// Parameters of `shelf` that predictions of these verdicts used: indices of TunableShelf::free.
std::vector<std::size_t> parameters_in_use(const TunableShelf& shelf,
                                           const std::vector<const RowVerdict*>& verdicts);

// At most one fit per judge. The loss of a row is |log(predicted / measured)| of its step time;
// judged by memory, 1 for a wrong verdict plus by how much it is missed, |log(need / capacity)|,
// plus |log(predicted / measured)| of its peak: robust, as it grows with the logarithm alone.
// `verdicts`: of the rows, as shipped. Fails where a value cannot be set.
Result<std::vector<Fit>> fit(const TunableShelf& shelf,
                             const std::vector<const RowVerdict*>& verdicts,
                             const std::vector<std::size_t>& parameters, const FitOptions& options);

}  // namespace quintet
