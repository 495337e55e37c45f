// A rank's training state out of the pieces of a checkpoint (engine/files/checkpoint/piece.h).
#pragma once

#include "engine/executor/rank_executor.h"
#include "engine/files/checkpoint/checkpoint.h"

namespace quintet::engine {

// Weights, moments and counts, whatever layout wrote them. The rank's state is undefined after an
// error.
std::optional<Error> restore(Checkpoint& checkpoint, RankExecutor& executor);

}  // namespace quintet::engine
