#include "sim/validate/fit/fit.h"

#include <algorithm>
#include <utility>

#include "sim/validate/fit/estimate.h"
#include "sim/validate/fit/fit_trials.h"

namespace quintet {

namespace {

FitErrors errors_of(const std::vector<const RowScore*>& scores) {
  FitErrors errors;
  std::vector<Pair> times, memories;
  for (const RowScore* score : scores) {
    if (score->time) times.push_back(*score->time);
    if (score->memory) memories.push_back(*score->memory);
    if (!score->right) continue;
    ++errors.verdicts;
    errors.wrong_verdicts += !*score->right;
  }
  errors.time = error_summary(times);
  errors.memory = error_summary(memories);
  return errors;
}

// Rows by model, in order of appearance.
struct Models {
  std::vector<std::string> names;
  std::vector<int> of_row;
};

Models models_of(const FitTrials& trials) {
  Models models;
  for (std::size_t row = 0; row < trials.rows(); ++row) {
    const std::string& name = trials.row(row).model;
    const auto found = std::find(models.names.begin(), models.names.end(), name);
    models.of_row.push_back(static_cast<int>(found - models.names.begin()));
    if (found == models.names.end()) models.names.push_back(name);
  }
  return models;
}

FittedParameter fitted_parameter(const FitTrials& trials, const Estimates& estimates,
                                 std::size_t dimension) {
  FittedParameter made;
  made.shipped = trials.parameter(dimension);
  const int best = estimates.all[dimension];
  made.estimate = made.low = made.high = trials.value(dimension, best);
  const bool choice = std::holds_alternative<Choices>(made.shipped.parameter.range);
  if (estimates.resampled.empty()) return made;
  if (!choice) {
    const PositionSpread spread = ninety_percent(estimates.resampled, dimension);
    made.low = trials.value(dimension, spread.low);
    made.high = trials.value(dimension, spread.high);
    return made;
  }
  const auto same = std::count_if(estimates.resampled.begin(), estimates.resampled.end(),
                                  [&](const GridPoint& point) { return point[dimension] == best; });
  made.agreement = static_cast<double>(same) / static_cast<double>(estimates.resampled.size());
  return made;
}

std::vector<const RowScore*> all_of(const std::vector<RowScore>& scores) {
  std::vector<const RowScore*> all;
  for (const RowScore& score : scores) all.push_back(&score);
  return all;
}

// Fills what leaving each model out says.
void leave_out(FitTrials& trials, const Models& models, const Estimates& estimates, Fit& made) {
  std::vector<const RowScore*> every;
  for (std::size_t group = 0; group < estimates.without.size(); ++group) {
    const std::vector<RowScore>& all = trials.at(estimates.all);
    const std::vector<RowScore>& others = trials.at(estimates.without[group]);
    std::vector<const RowScore*> with, without;
    for (std::size_t row = 0; row < trials.rows(); ++row) {
      if (models.of_row[row] != static_cast<int>(group)) continue;
      with.push_back(&all[row]);
      without.push_back(&others[row]);
    }
    every.insert(every.end(), without.begin(), without.end());
    ModelLeftOut model{models.names[group],
                       static_cast<int>(with.size()),
                       errors_of(with),
                       errors_of(without),
                       {}};
    for (std::size_t i = 0; i < trials.dimensions(); ++i)
      model.estimates.push_back(trials.value(i, estimates.without[group][i]));
    made.models.push_back(std::move(model));
  }
  made.left_out = errors_of(every);
}

Result<Fit> fit_judged(FitTrials& trials, JudgedBy judge, int resamplings) {
  std::vector<int> sizes;
  GridPoint start;
  for (std::size_t i = 0; i < trials.dimensions(); ++i) {
    const FreeParameter& parameter = trials.parameter(i).parameter;
    const Result<int> point = nearest_point(parameter.range, parameter.value);
    if (!point) return point.error();
    sizes.push_back(points_of(parameter.range));
    start.push_back(*point);
  }
  const Models models = models_of(trials);
  const auto losses = [&](const GridPoint& point) {
    std::vector<double> all;
    for (const RowScore& score : trials.at(point)) all.push_back(score.loss);
    return all;
  };
  const Estimates estimates = estimate(sizes, start, models.of_row,
                                       static_cast<int>(models.names.size()), losses, resamplings);
  Fit made;
  made.judged_by = judge;
  made.rows = static_cast<int>(trials.rows());
  for (std::size_t i = 0; i < trials.dimensions(); ++i)
    made.parameters.push_back(fitted_parameter(trials, estimates, i));
  made.shipped = errors_of(all_of(trials.shipped()));
  made.fitted = errors_of(all_of(trials.at(estimates.all)));
  leave_out(trials, models, estimates, made);
  made.points = trials.points();
  if (trials.error()) return *trials.error();
  return made;
}

bool used_by(const ShelfParameter& parameter, const RowVerdict& verdict) {
  switch (parameter.home) {
    case ParameterHome::stack:
      return parameter.owner == verdict.stack;
    case ParameterHome::costs:
      return parameter.owner == verdict.gpu;
    case ParameterHome::machine:
    case ParameterHome::topology:
      return parameter.owner == verdict.topology;
  }
  return false;
}

bool judges(const RowVerdict& verdict, JudgedBy judge) {
  if (judge == JudgedBy::step_time) return time_pair(verdict).has_value();
  return verdict_right(verdict).has_value() || memory_pair(verdict).has_value();
}

}  // namespace

double error_of(const FitErrors& errors, JudgedBy judged_by) {
  if (judged_by == JudgedBy::step_time) return errors.time.mean;
  const double wrong =
      errors.verdicts > 0 ? static_cast<double>(errors.wrong_verdicts) / errors.verdicts : 0;
  return wrong + errors.memory.mean;
}

std::optional<double> cross_validation_ratio(const Fit& fit) {
  const double inside = error_of(fit.fitted, fit.judged_by);
  if (fit.models.size() < 2 || inside <= 0) return std::nullopt;
  return error_of(fit.left_out, fit.judged_by) / inside;
}

std::vector<std::size_t> parameters_in_use(const TunableShelf& shelf,
                                           const std::vector<const RowVerdict*>& verdicts) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < shelf.free.size(); ++i)
    if (std::any_of(verdicts.begin(), verdicts.end(), [&](const RowVerdict* verdict) {
          return verdict->prediction && used_by(shelf.free[i], *verdict);
        }))
      used.push_back(i);
  return used;
}

Result<std::vector<Fit>> fit(const TunableShelf& shelf,
                             const std::vector<const RowVerdict*>& verdicts,
                             const std::vector<std::size_t>& parameters,
                             const FitOptions& options) {
  std::vector<Fit> fits;
  for (const JudgedBy judge : {JudgedBy::step_time, JudgedBy::memory}) {
    std::vector<std::size_t> judged;
    for (const std::size_t index : parameters)
      if (shelf.free[index].parameter.judged_by == judge) judged.push_back(index);
    FitTrials trials(shelf, judged, judge, options);
    for (const RowVerdict* verdict : verdicts)
      if (verdict->prediction && judges(*verdict, judge)) trials.add(*verdict);
    if (judged.empty() || trials.rows() == 0) continue;
    Result<Fit> one = fit_judged(trials, judge, options.resamplings);
    if (!one) return one.error();
    fits.push_back(std::move(*one));
  }
  return fits;
}

}  // namespace quintet
