// A rank's training state out of and into the pieces of a checkpoint
// (engine/files/checkpoint/piece.h).
#pragma once

#include "engine/executor/rank_executor.h"
#include "engine/files/checkpoint/checkpoint.h"
#include "engine/files/checkpoint/piece.h"

namespace quintet::engine {

enum class Contents { weights, weights_and_moments };

// Copies of all that this rank answers for: fp32 weights, moments, the history of delayed scaling
// in fp8. What several ranks keep alike
// is in one rank's snapshot only.
Snapshot snapshot_of(RankExecutor& executor, Contents contents);

// Weights, moments and counts, whatever layout wrote them. The rank's state is undefined after an
// error.
std::optional<Error> restore(Checkpoint& checkpoint, RankExecutor& executor);

}  // namespace quintet::engine
