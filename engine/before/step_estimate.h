// How long a step will take, before any is made: the simulator's prediction of the plan on this
// machine, by a cost table that was measured on another one unless the run names its own. The only
// place of the engine that looks into a prediction, and nothing that a rank does depends on it.
#pragma once

#include <optional>
#include <string>

#include "engine/train/training_inputs.h"
#include "sim/base/units.h"

namespace quintet::engine {

struct ShapedLink {
  std::string from, to;  // devices
  Bandwidth rate;
  Bytes bytes;  // of the plan, in a step
  Seconds time() const { return bytes / rate; }
};

struct StepEstimate {
  Seconds step, low, high;  // low to high: nominal 90 %, by the table's own errors
  std::string basis;        // what it rests on, a sentence
  // The part of the machine's network that takes longest for its bytes: a step is no shorter.
  std::optional<ShapedLink> slowest;
};

// `costs`: a file or shipped table; empty: the shipped one of the processors the run computes on.
// `cores`: that all ranks share, unless the topology's hosts are machines of their own. An error
// says why nothing can be said; it is no fault of the run.
Result<StepEstimate> estimated_step(const TrainingInputs& inputs, const TrainingOptions& options,
                                    const std::string& costs, double cores);

}  // namespace quintet::engine
