#include "sim/validate/fit/cross_validation.h"

#include <algorithm>
#include <utility>

namespace quintet {

namespace {

bool chosen_on(const TunableShelf& shelf, std::size_t parameter, const std::string& source) {
  const std::vector<std::string>& sources = shelf.free[parameter].parameter.chosen_on;
  return std::find(sources.begin(), sources.end(), source) != sources.end();
}

std::vector<std::size_t> chosen_here(const TunableShelf& shelf,
                                     const std::vector<const RowVerdict*>& verdicts,
                                     const std::string& source) {
  std::vector<std::size_t> chosen;
  for (const std::size_t parameter : parameters_in_use(shelf, verdicts))
    if (chosen_on(shelf, parameter, source)) chosen.push_back(parameter);
  return chosen;
}

// Whether the parameter was chosen on any source of the whole summary.
bool chosen_on_any(const TunableShelf& shelf, std::size_t parameter,
                   const std::vector<SourceSummary>& summary) {
  return std::any_of(summary.begin(), summary.end(), [&](const SourceSummary& line) {
    return chosen_on(shelf, parameter, line.source);
  });
}

CrossValidated validated(const Fit& fit) {
  return {error_of(fit.fitted, fit.judged_by), error_of(fit.left_out, fit.judged_by),
          static_cast<int>(fit.parameters.size())};
}

constexpr int fewest_models = 2;

}  // namespace

void count_parameters(const TunableShelf& shelf, const std::vector<RowVerdict>& verdicts,
                      std::vector<SourceSummary>& summary) {
  for (SourceSummary& line : summary) {
    const std::vector<std::size_t> used = parameters_in_use(shelf, verdicts_of(verdicts, line));
    line.free_parameters = static_cast<int>(used.size());
    line.chosen_here =
        static_cast<int>(std::count_if(used.begin(), used.end(), [&](std::size_t parameter) {
          return &line == &summary.back() ? chosen_on_any(shelf, parameter, summary)
                                          : chosen_on(shelf, parameter, line.source);
        }));
  }
}

Result<std::vector<SourceFits>> cross_validate(const TunableShelf& shelf,
                                               const std::vector<RowVerdict>& verdicts,
                                               const FitOptions& options,
                                               std::vector<SourceSummary>& summary) {
  std::vector<SourceFits> all;
  for (SourceSummary& line : summary) {
    if (&line == &summary.back() || line.models < fewest_models) continue;
    line.cross_validated = CrossValidated{line.time.mean, line.time.mean, 0};
    const std::vector<const RowVerdict*> members = verdicts_of(verdicts, line);
    Result<std::vector<Fit>> fits =
        fit(shelf, members, chosen_here(shelf, members, line.source), options);
    if (!fits) return fits.error();
    for (const Fit& one : *fits)
      (one.judged_by == JudgedBy::step_time ? line.cross_validated : line.memory_cross_validated) =
          validated(one);
    if (!fits->empty()) all.push_back({line.source, line.stack, std::move(*fits)});
  }
  return all;
}

}  // namespace quintet
