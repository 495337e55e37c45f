// What ranks tell each other of a step so that all of them see the same pipeline: its passes, and
// its messages between stages. No clock is shared: of two neighbours a message takes as long one
// way as the other, which says how far their clocks are apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/base/result.h"
#include "sim/plan/parallelism.h"
#include "sim/program/program.h"
#include "sim/timeline/timeline.h"

namespace quintet::engine {

// As it lies; times in picoseconds since the rank began the step.
struct ToldPass {
  std::int32_t info = -1;  // an instruction of the program; -1: there is no more
  std::int32_t micro_batch = -1, chunk = 0;
  std::int32_t spans = 0;  // that it stands for
  std::int64_t start = 0, end = 0;
};

// How many a rank tells: the same number on every rank of a plan.
std::size_t told_passes_of(const Parallelism& parallelism);

// This rank's, of its spans (StepReport): compute of one pass is one, sends and receives are as
// they were, and the last is the end of the step. As many as told_passes_of(), or the first so
// many.
std::vector<ToldPass> told_passes(const Program& program, std::span<const Span> spans,
                                  std::size_t count);

// All ranks', rank by rank, as a Timeline for pipeline_state() (sim/adapt). The error names the
// rank whose passes are none of this program's.
Result<Timeline> told_timeline(const Program& program, std::span<const ToldPass> all);

}  // namespace quintet::engine
