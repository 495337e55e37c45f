// Every row predicted, and what that says of a source and a software stack.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/explain/breakdown.h"
#include "sim/validate/rows/express.h"
#include "sim/validate/rows/predict_row.h"
#include "sim/validate/rows/published_row.h"
#include "sim/validate/sheet.h"
#include "sim/validate/statistics.h"

namespace quintet {

struct RowVerdict {
  PublishedRow row;
  std::string stack;
  std::string reason;  // why there is no prediction; empty: there is one
  std::optional<StepPrediction> prediction;
  std::vector<std::string> remarks;
  std::string topology, gpu;  // of the machine and the cost table that were used
};

// One row. A row that cannot be predicted has a reason.
RowVerdict verdict_of(const PublishedRow& row, const Shelf& shelf, MachinePark& machines);
// The same without the step's time: its prediction has only what concerns memory.
RowVerdict memory_verdict_of(const PublishedRow& row, const Shelf& shelf, MachinePark& machines);

// Predicted and measured step time of a row that has both.
std::optional<Pair> time_pair(const RowVerdict& verdict);
// Peak memory, GiB.
std::optional<Pair> memory_pair(const RowVerdict& verdict);

// Whether the row was predicted to fit, and did, or neither; none for rows with other errors.
std::optional<bool> verdict_right(const RowVerdict& verdict);

// What leaving out one model after the other says of a source's free parameters.
struct CrossValidated {
  double in_sample = 0, left_out = 0;  // see error_of() in fit.h
  int parameters = 0;                  // that were chosen on these rows and estimated again
  bool operator==(const CrossValidated&) const = default;
};

struct SourceSummary {
  std::string source;  // file name without directory and ending; "all" at the end
  std::string stack;
  int rows = 0;
  int expressed = 0;
  ErrorSummary time;
  ErrorSummary memory;
  // Mean over groups of equal model, GPU and number of GPUs (three rows and more).
  std::optional<double> tau;
  int tau_groups = 0;
  Regrets regrets;  // over its sheets, see sheet.h
  MemoryConfusion verdicts;
  int models = 0;           // with a predicted and a measured time
  int free_parameters = 0;  // that its predictions use, wherever they stand
  int chosen_here = 0;      // of those, chosen on rows of this very source
  // See cross_validation.h: of the step time; of memory verdicts and peaks.
  std::optional<CrossValidated> cross_validated, memory_cross_validated;

  std::string title() const { return source + (stack.empty() ? "" : ", " + stack); }
};

// On `threads` threads; the result does not depend on their number. `progress` gets the share done,
// from any one thread at a time.
std::vector<RowVerdict> validate_rows(const std::vector<PublishedRow>& rows, const Shelf& shelf,
                                      MachinePark& machines, int threads,
                                      const std::function<void(double share)>& progress = {});

// By source file and stack in order of appearance, then all together. Free parameters are counted
// elsewhere (parameter_use.h).
std::vector<SourceSummary> summaries(const std::vector<RowVerdict>& verdicts);

// File name without directory and ending: the name of a source.
std::string source_name(const std::string& file);
// The verdicts that a line of the summary is about.
std::vector<const RowVerdict*> verdicts_of(const std::vector<RowVerdict>& verdicts,
                                           const SourceSummary& line);

}  // namespace quintet
