// The loss on tokens that training never sees: what tells learning from remembering.
#pragma once

#include <string>

#include "engine/executor/rank_executor.h"
#include "engine/files/data/batch_sampler.h"
#include "engine/peers/peers.h"

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
  struct When {
    int every = 0;      // steps; 0: not between the first and the last
    int last_step = 0;  // after it too
  };
  // `sampler`: at its beginning, of what is kept aside; `most`: sequences. The peers outlive it.
  Validation(BatchSampler sampler, std::int64_t most, const When& when, Peers& peers);

  // Whether it is asked for after this step.
  bool is_due(int step) const {
    return step == when_.last_step || (when_.every > 0 && step % when_.every == 0);
  }
  // While no step is under way. Errors name the rank that failed.
  Result<ValidationLoss> loss(int step, RankExecutor& executor);

 private:
  Result<StepInput> input(const RankExecutorInput& of) const;

  Peers* peers_;
  BatchSampler sampler_;
  std::int64_t sequences_;
  When when_;
};

}  // namespace quintet::engine
