// The last steps' spans of one rank, to become the measured timeline.
#pragma once

#include <deque>

#include "engine/executor/rank_executor.h"
#include "engine/timeline/gather_timeline.h"
#include "engine/train/training_inputs.h"

namespace quintet::engine {

class StepRecorder {
 public:
  // `file` empty: nothing is recorded.
  StepRecorder(const TrainingInputs& inputs, const TrainingOptions& options, Peers& peers)
      : inputs_(inputs), options_(options), program_(&inputs.program), clock_(peers) {}

  std::optional<Error> begin();  // all ranks together
  // Steps are of this program from here on; those of another are forgotten. It must outlive this.
  void follow(const Program& program);
  // `processors`: StepTime's.
  void record(int step, Clock::time_point origin, Duration processors, StepReport report);
  // All ranks together. On rank 0, which writes the file: sentences about it.
  struct End {
    std::optional<Recording> recording;  // of all ranks
    std::filesystem::path nccl_profile;  // empty: none
    struct Steps {
      int first = 1, last = 0;
    } run;  // of this process
  };
  Result<std::vector<std::string>> finish(const End& end);

 private:
  bool recording() const { return !options_.timeline.empty(); }
  std::vector<std::string> note_nccl(const End& end);

  const TrainingInputs& inputs_;
  const TrainingOptions& options_;
  const Program* program_;
  JobClock clock_;
  std::deque<MeasuredStep> steps_;
};

// This is the recording of all ranks together; the times are rank 0's.
Result<std::optional<Recording>> whole_recording(Peers& peers,
                                                 const std::optional<Recording>& mine);

// Where the timeline of the median of so many steps was written, and what to doubt in it.
std::vector<std::string> said_of(const Timeline& timeline, std::size_t steps,
                                 const std::filesystem::path& file);

}  // namespace quintet::engine
