#include "sim/validate/fit/fit_trials.h"

#include <cmath>
#include <utility>

#include "sim/base/parallel.h"

namespace quintet {

namespace {

// A setting under which a row cannot be predicted at all, as if it were e^3 times off.
constexpr double unpredicted_loss = 3;

double off(const Pair& pair) {
  return pair.predicted > 0 ? std::abs(std::log(pair.predicted / pair.measured)) : unpredicted_loss;
}

RowScore score_time(const RowVerdict& verdict) {
  RowScore score;
  score.time = time_pair(verdict);
  score.loss = score.time ? off(*score.time) : unpredicted_loss;
  return score;
}

RowScore score_memory(const RowVerdict& verdict) {
  RowScore score;
  score.memory = memory_pair(verdict);
  score.right = verdict_right(verdict);
  if (score.memory) score.loss += off(*score.memory);
  if (!verdict.prediction) score.loss = unpredicted_loss;
  if (!verdict.prediction || score.right != false) return score;
  const double need = total(verdict.prediction->fullest) / verdict.prediction->capacity;
  score.loss += 1 + std::abs(std::log(need));
  return score;
}

RowScore score_of(const RowVerdict& verdict, JudgedBy judge) {
  return judge == JudgedBy::step_time ? score_time(verdict) : score_memory(verdict);
}

}  // namespace

FitTrials::FitTrials(const TunableShelf& shelf, std::vector<std::size_t> parameters, JudgedBy judge,
                     const FitOptions& options)
    : shelf_(shelf), parameters_(std::move(parameters)), judge_(judge), options_(options) {}

void FitTrials::add(const RowVerdict& verdict) {
  rows_.push_back(verdict.row);
  shipped_.push_back(score_of(verdict, judge_));
}

const std::vector<RowScore>& FitTrials::at(const GridPoint& point) {
  auto found = known_.find(point);
  if (found == known_.end()) found = known_.emplace(point, try_out(point)).first;
  return found->second;
}

const ShelfParameter& FitTrials::parameter(std::size_t dimension) const {
  return shelf_.free[parameters_[dimension]];
}

std::string FitTrials::value(std::size_t dimension, int position) const {
  return value_at(parameter(dimension).parameter.range, position);
}

std::vector<RowScore> FitTrials::try_out(const GridPoint& point) {
  std::vector<RowScore> scores(rows_.size());
  std::vector<Setting> settings;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    settings.push_back({parameters_[i], value(i, point[i])});
  const Result<SetShelf> set = with_settings(shelf_, settings);
  if (!set) {
    if (!error_) error_ = set.error();
    return scores;
  }
  MachinePark machines(shelf_.topologies, set->topology_values);
  const auto score = [&](std::size_t index) {
    const auto predict = judge_ == JudgedBy::step_time ? verdict_of : memory_verdict_of;
    scores[index] = score_of(predict(rows_[index], set->shelf, machines), judge_);
  };
  for_each_index(rows_.size(), options_.threads, score, options_.progress);
  return scores;
}

}  // namespace quintet
