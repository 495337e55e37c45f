// The last steps' spans of one rank, to become the measured timeline.
#pragma once

#include <deque>

#include "engine/clock/gather_timeline.h"
#include "engine/executor/rank_executor.h"
#include "engine/train/training_inputs.h"

namespace quintet::engine {

class StepRecorder {
 public:
  // `file` empty: nothing is recorded.
  StepRecorder(const TrainingInputs& inputs, const TrainingOptions& options, RankMail& mail)
      : inputs_(inputs), options_(options), clock_(mail) {}

  std::optional<Error> begin();  // all ranks together
  void record(int step, Clock::time_point origin, StepReport report);
  // All ranks together. On rank 0, which writes the file: sentences about it.
  Result<std::vector<std::string>> finish();

 private:
  bool recording() const { return !options_.timeline.empty(); }

  const TrainingInputs& inputs_;
  const TrainingOptions& options_;
  JobClock clock_;
  std::deque<MeasuredStep> steps_;
};

// Where the timeline of the median of so many steps was written, and what to doubt in it.
std::vector<std::string> said_of(const Timeline& timeline, std::size_t steps,
                                 const std::filesystem::path& file);

}  // namespace quintet::engine
