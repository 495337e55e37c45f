// What rank 0 tells people (a line per step) and programs (JSON, a line per record).
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "engine/train/step_figures.h"
#include "engine/train/surroundings.h"
#include "engine/train/training_inputs.h"
#include "engine/validation/validation.h"

namespace quintet::engine {

// The peaks of all ranks together.
struct Peaks {
  FlopRate measured;   // what matrix products reach here
  FlopRate datasheet;  // of the GPUs (datasheet_peak.h); 0: not known
};

// Model FLOPs (sim/model/step_flops.h) / (seconds x peak).
struct Utilisation {
  double of_datasheet = 0;  // 0: not known
  double of_measured = 0;
  // MFU, as it is published: against the datasheet. CPU cores and unknown GPUs have none.
  double mfu() const { return of_datasheet > 0 ? of_datasheet : of_measured; }
};
Utilisation utilisation_of(Flops work, Seconds step, const Peaks& peaks);

struct StepRecord {
  int step = 0;  // counts from 1, since the beginning of training
  StepFigures figures;
  double seconds = 0;  // from one step's begin to the next one's
  double learning_rate = 0;
  double loss_scale = 1;  // 1: gradients are not scaled
  bool updated = true;    // false: they overflowed, and the step's update was left out
  std::int64_t tokens = 0;
  Utilisation utilisation{};
};

struct RunHeader {
  const TrainingInputs& inputs;
  const TrainingOptions& options;
  const Surroundings& surroundings;
  Peaks peaks;
};

// What is about to be trained, where, and what of the plan is done otherwise.
std::vector<std::string> header_lines(const RunHeader& header);
std::string step_line(const StepRecord& record, int last_step);
// The step that a step_line() tells; nothing of other lines.
std::optional<int> step_of_line(const std::string& line);
// Said before the first step, to whoever has something to do from then on: "Step 1 begins."
std::string beginning_line(int step);
std::optional<int> beginning_of_line(const std::string& line);

struct RunSummary {
  double first_loss = 0, last_loss = 0, median_seconds = 0, tokens_per_second = 0;
  int steps = 0;
  std::vector<RankFigures> last;  // of every rank
  std::optional<Recording> recording{};
  std::optional<ValidationLoss> validation{};  // the last one
  std::string attention{};                     // whose ran, on rank 0's GPU; empty: there is none
};
RunSummary summary_of(const std::vector<StepRecord>& records);
std::string summary_text(const RunSummary& summary);

// {"record": "run"|"step"|"validation"|"summary", ...}: a header with schema_version 1, then steps,
// each followed by the validation after it, then the summary. Every line is written out at once.
class StepLog {
 public:
  static Result<StepLog> open(const std::filesystem::path& file);
  std::optional<Error> header(const RunHeader& header);
  std::optional<Error> step(const StepRecord& record);
  std::optional<Error> validation(const ValidationLoss& found);
  std::optional<Error> summary(const RunSummary& summary);

 private:
  std::optional<Error> line(const std::string& text);
  std::string file_;
  std::ofstream out_;  // not open: nothing is logged
};

}  // namespace quintet::engine
