// The history of delayed scaling in fp8 (engine/parameters/float8_maxima.h) out of and into the
// pieces of a checkpoint: per layer of the model a tensor [ranks, products, factors, steps], where
// ranks are those that hold a part of the layer or all of it, in the order of their data axis and
// then of their tensor axis; the oldest step first.
#pragma once

#include <vector>

#include "engine/executor/rank_executor.h"
#include "engine/files/checkpoint/checkpoint.h"
#include "engine/files/checkpoint/piece.h"

namespace quintet::engine {

struct Float8Row {
  Piece piece;
  std::vector<float> history;
};
// Every rank has seen its own values: each has its row of every layer. None where nothing is kept.
// Waits for what is queued on the lane.
std::vector<Float8Row> float8_rows(RankExecutor& executor);

// As many ranks as wrote it take their rows: they go on as they were, bit by bit. In another layout
// each takes the largest of all ranks'. Of a history of another length the newest steps count. What
// is not in the checkpoint, of a run in another arithmetic, was not seen.
std::optional<Error> restore_float8_state(Checkpoint& checkpoint, RankExecutor& executor);

}  // namespace quintet::engine
