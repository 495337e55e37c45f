// What a run begins with and what it leaves behind: weights and checkpoints.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/saving/checkpoint_keeper.h"
#include "engine/train/training_inputs.h"

namespace quintet::engine {

struct Beginning {
  int steps_done = 0;
  SamplerState sampler;
  std::vector<std::string> remarks;  // for people: what was read, what was refused
};

// Every rank calls the same; the peers must outlive it. Errors name the rank and the file.
class RunFiles {
 public:
  static Result<std::unique_ptr<RunFiles>> make(const TrainingInputs& inputs,
                                                const TrainingOptions& options, Peers& peers);

  // Reads weights, or the newest checkpoint where the run is to be resumed; else draws weights.
  Result<Beginning> begin(RankExecutor& executor);
  // Whether after_step() looks at the state of the step itself.
  bool saves_after(int step) const { return keeper_ && keeper_->is_due(step); }
  std::optional<Error> after_step(int step, RankExecutor& executor, const SamplerState& sampler);
  // Waits until everything is on the disk.
  std::optional<Error> finish(int step, RankExecutor& executor, const SamplerState& sampler);

 private:
  RunFiles(const TrainingOptions& options, Peers& peers) : options_(options), peers_(peers) {}
  Result<std::string> read_weights(RankExecutor& executor);
  std::optional<Error> draw_weights(RankExecutor& executor);
  std::optional<Error> write_weights(RankExecutor& executor);

  TrainingOptions options_;
  Peers& peers_;
  std::unique_ptr<CheckpointKeeper> keeper_;  // null: no checkpoints
};

}  // namespace quintet::engine
