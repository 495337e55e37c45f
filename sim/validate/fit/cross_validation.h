// How much of a summary is owed to parameters that were chosen on the very rows it is about.
#pragma once

#include <string>
#include <vector>

#include "sim/validate/fit/fit.h"

namespace quintet {

// Fills free_parameters and chosen_here of every line.
void count_parameters(const TunableShelf& shelf, const std::vector<RowVerdict>& verdicts,
                      std::vector<SourceSummary>& summary);

struct SourceFits {
  std::string source, stack;
  std::vector<Fit> fits;
};

// For every line with two models and more: the parameters that were chosen on its source are
// estimated on its rows again, and once more without each model, which then is predicted. Fills
// cross_validated (where nothing was chosen there, both errors are the line's own) and
// memory_cross_validated. The fits are returned for those who want to look closer.
Result<std::vector<SourceFits>> cross_validate(const TunableShelf& shelf,
                                               const std::vector<RowVerdict>& verdicts,
                                               const FitOptions& options,
                                               std::vector<SourceSummary>& summary);

}  // namespace quintet
