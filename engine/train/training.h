// One rank's training run: from joined transport to the summary.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "engine/train/training_inputs.h"
#include "engine/transport/transport.h"

namespace quintet::engine {

struct TrainingEnd {
  int steps = 0;
  enum class Why { done, interrupted } why = Why::done;
};

// `interrupted`: asked after every step; when it says yes on one rank, all end after that step.
// What rank 0 tells people goes line by line to `say`.
struct TrainingHooks {
  std::function<bool()> interrupted;
  std::function<void(const std::string& line)> say;
};

// The rank takes part in every step until the last; the error names the rank that failed and how.
Result<TrainingEnd> train(const TrainingInputs& inputs, const TrainingOptions& options,
                          Transport& transport, const TrainingHooks& hooks);

}  // namespace quintet::engine
