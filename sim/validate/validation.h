// Every row predicted, and what that says of a source and a software stack.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/timeline/breakdown.h"
#include "sim/validate/express.h"
#include "sim/validate/predict_row.h"
#include "sim/validate/published_row.h"
#include "sim/validate/statistics.h"

namespace quintet {

struct RowVerdict {
  PublishedRow row;
  std::string stack;
  std::string reason;  // why there is no prediction; empty: there is one
  std::optional<StepPrediction> prediction;
  std::vector<std::string> remarks;
};

// Predicted and measured step time of a row that has both.
std::optional<Pair> time_pair(const RowVerdict& verdict);
// Peak memory, GiB.
std::optional<Pair> memory_pair(const RowVerdict& verdict);

struct SourceSummary {
  std::string source;  // file name without directory and ending; "all" at the end
  std::string stack;
  int rows = 0;
  int expressed = 0;
  ErrorSummary time;
  ErrorSummary memory;
  // Means over groups of equal model, GPU and number of GPUs (three rows and more)...
  std::optional<double> tau;
  int tau_groups = 0;
  // ... and, for the plan that would be picked, of equal sequence length and global batch too (two
  // rows and more).
  std::optional<double> regret;
  int regret_groups = 0;
  MemoryConfusion verdicts;
  int free_parameters = 0;
};

// On `threads` threads; the result does not depend on their number. A row that cannot be predicted
// has a reason. `progress` gets the share done, from any one thread at a time.
std::vector<RowVerdict> validate_rows(const std::vector<PublishedRow>& rows, const Shelf& shelf,
                                      MachinePark& machines, int threads,
                                      const std::function<void(double share)>& progress = {});

// By source file and stack in order of appearance, then all together.
std::vector<SourceSummary> summaries(const std::vector<RowVerdict>& verdicts,
                                     const std::vector<SoftwareStack>& stacks);

}  // namespace quintet
