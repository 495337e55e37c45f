#include "sim/validate/report/published_residuals.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "sim/base/quantile.h"
#include "sim/confidence/expected_error.h"

namespace quintet {

namespace {

// ln(predicted / measured) of a row.
struct RowError {
  std::string stack, gpu;
  double value = 0;
};

using Group = std::pair<std::string, std::string>;  // stack, GPU; empty: any

bool is_of(const RowError& error, const Group& group) {
  return (group.first.empty() || error.stack == group.first) &&
         (group.second.empty() || error.gpu == group.second);
}

std::vector<RowError> errors_of(const std::vector<RowVerdict>& verdicts) {
  std::vector<RowError> all;
  for (const RowVerdict& verdict : verdicts)
    if (const auto pair = time_pair(verdict); pair && pair->predicted > 0)
      all.push_back({verdict.stack, verdict.gpu, std::log(pair->predicted / pair->measured)});
  return all;
}

template <class Wanted>
std::vector<double> values(const std::vector<RowError>& errors, Wanted wanted) {
  std::vector<double> all;
  for (const RowError& error : errors)
    if (wanted(error)) all.push_back(error.value);
  return all;
}

double rounded(double value) {
  return std::round(1e4 * value) / 1e4;
}

StepResiduals residuals_of(const Group& group, const std::vector<double>& errors) {
  return {group.first,
          group.second,
          static_cast<int>(errors.size()),
          rounded(quantile_of_unseen(errors, 0.05)),
          rounded(quantile_of_unseen(errors, 0.5)),
          rounded(quantile_of_unseen(errors, 0.95))};
}

// Software on cards, software, cards, all: each by name.
std::vector<Group> groups_of(const std::vector<RowError>& errors) {
  std::set<Group> both, stacks, gpus;
  for (const RowError& error : errors) {
    both.insert({error.stack, error.gpu});
    stacks.insert({error.stack, ""});
    gpus.insert({"", error.gpu});
  }
  std::vector<Group> all(both.begin(), both.end());
  all.insert(all.end(), stacks.begin(), stacks.end());
  all.insert(all.end(), gpus.begin(), gpus.end());
  all.push_back({"", ""});
  return all;
}

// Each software on each card with a handful of rows, by the rows that `alike` allows.
template <class Alike>
std::vector<LeftOutGroup> left_out(const std::vector<RowError>& errors, Alike alike) {
  constexpr std::size_t handful = 5;
  std::vector<LeftOutGroup> all;
  for (const Group& group : groups_of(errors)) {
    if (group.first.empty() || group.second.empty()) continue;
    const auto own = values(errors, [&](const RowError& each) { return is_of(each, group); });
    const auto others = values(errors, [&](const RowError& each) { return alike(each, group); });
    if (own.size() >= handful && others.size() >= fewest_rows) all.push_back({others, own});
  }
  return all;
}

Widening widening_of(const std::vector<RowError>& errors) {
  const auto other_gpu = left_out(errors, [](const RowError& each, const Group& group) {
    return each.stack == group.first && each.gpu != group.second;
  });
  const auto other_stack = left_out(errors, [](const RowError& each, const Group& group) {
    return each.stack != group.first && each.gpu == group.second;
  });
  const auto both = left_out(errors, [](const RowError& each, const Group& group) {
    return each.stack != group.first && each.gpu != group.second;
  });
  return {needed_widening(other_gpu), needed_widening(other_stack), needed_widening(both),
          static_cast<int>(both.size())};
}

std::vector<MemoryOutcome> outcomes_of(const std::vector<RowVerdict>& verdicts) {
  std::vector<MemoryOutcome> all;
  for (const RowVerdict& verdict : verdicts) {
    if (!verdict_right(verdict) || verdict.prediction->capacity <= Bytes{}) continue;
    all.push_back({total(verdict.prediction->fullest) / verdict.prediction->capacity,
                   verdict.row.status == RowStatus::ok});
  }
  return all;
}

double covered(const LeftOutGroup& group, double factor) {
  const double middle = quantile_of_unseen(group.others, 0.5);
  const double least = middle + factor * (quantile_of_unseen(group.others, 0.05) - middle);
  const double most = middle + factor * (quantile_of_unseen(group.others, 0.95) - middle);
  const auto within = std::count_if(group.left_out.begin(), group.left_out.end(),
                                    [&](double each) { return least <= each && each <= most; });
  return static_cast<double>(within) / static_cast<double>(group.left_out.size());
}

// How far from 1 one in ten goes wrong; `outcomes` are of one side, the nearest to 1 first.
double reach(const std::vector<MemoryOutcome>& outcomes, bool wrong_if_ran) {
  double furthest = 1, wrong = 0, seen = 0;
  for (const MemoryOutcome& each : outcomes) {
    ++seen;
    if (each.ran == wrong_if_ran) ++wrong;
    if (wrong >= 0.1 * seen) furthest = each.share;
  }
  return furthest;
}

}  // namespace

double needed_widening(const std::vector<LeftOutGroup>& groups) {
  constexpr int most = 180;
  if (groups.empty()) return 1;
  for (int step = 0; step < most; ++step) {
    const double factor = 1 + 0.05 * step;
    double sum = 0;
    for (const LeftOutGroup& group : groups) sum += covered(group, factor);
    if (sum >= 0.9 * static_cast<double>(groups.size())) return rounded(factor);
  }
  return 1 + 0.05 * most;
}

MemoryBand memory_band(const std::vector<MemoryOutcome>& outcomes) {
  std::vector<MemoryOutcome> below, above;
  for (const MemoryOutcome& each : outcomes) (each.share <= 1 ? below : above).push_back(each);
  std::sort(below.begin(), below.end(), [](auto& a, auto& b) { return a.share > b.share; });
  std::sort(above.begin(), above.end(), [](auto& a, auto& b) { return a.share < b.share; });
  MemoryBand band;
  band.from = std::floor(1e3 * reach(below, false)) / 1e3;
  band.to = std::ceil(1e3 * reach(above, true)) / 1e3;
  for (const MemoryOutcome& each : outcomes) {
    const bool is_wrong = each.ran != (each.share <= 1);
    const bool inside = band.from <= each.share && each.share <= band.to;
    ++band.verdicts;
    band.wrong += is_wrong;
    band.within += inside;
    band.wrong_within += inside && is_wrong;
  }
  return band;
}

PublishedResiduals published_residuals(const std::vector<RowVerdict>& verdicts,
                                       const std::string& source) {
  const std::vector<RowError> errors = errors_of(verdicts);
  PublishedResiduals made{source, {}, widening_of(errors), memory_band(outcomes_of(verdicts))};
  if (errors.empty()) return made;
  for (const Group& group : groups_of(errors))
    made.step_time.push_back(residuals_of(
        group, values(errors, [&](const RowError& each) { return is_of(each, group); })));
  return made;
}

}  // namespace quintet
