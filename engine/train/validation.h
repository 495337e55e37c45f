// The loss on tokens that training never sees: what tells learning from remembering.
#pragma once

#include <optional>
#include <string>

#include "engine/executor/rank_executor.h"
#include "engine/files/data/batch_sampler.h"
#include "engine/peers/peers.h"
#include "engine/train/training_inputs.h"

namespace quintet::engine {

struct ValidationLoss {
  int step = 0;     // steps done
  double loss = 0;  // nats per target, the mean
  std::int64_t sequences = 0, targets = 0;
  double seconds = 0;
};

// "validation after step 4: loss 5.2213 over 64 sequences (4,096 targets), 31.0 ms"
std::string validation_line(const ValidationLoss& found);

// Every rank calls the same. The sequences are the first ones kept aside, in the order of the file,
// each once, whatever the layout: ranks that have no more of them take some again whose targets do
// not count. Which tokens BERT masks depends on the sequence's number and the run's seed alone.
class Validation {
 public:
  // Nothing where the options keep nothing aside.
  static Result<std::optional<Validation>> make(const TrainingInputs& inputs,
                                                const TrainingOptions& options, Peers& peers);

  // Whether it is asked for after this step.
  bool is_due(int step) const { return step == last_step_ || (every_ > 0 && step % every_ == 0); }
  // While no step is under way. Errors name the rank that failed.
  Result<ValidationLoss> loss(int step, RankExecutor& executor);

 private:
  Validation(const TrainingInputs& inputs, const TrainingOptions& options, BatchSampler sampler,
             Peers& peers);
  Result<StepInput> input(int replica) const;

  const TrainingInputs* inputs_;
  Peers* peers_;
  BatchSampler sampler_;  // at its beginning
  std::int64_t sequences_ = 0;
  int every_ = 0, last_step_ = 0;
};

}  // namespace quintet::engine
