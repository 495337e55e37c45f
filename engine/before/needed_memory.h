// What a run's ranks will keep in memory on CPU cores, before any of them is started. By the
// simulator's formulas of a step (sim/parallelism/memory.h), and what the engine keeps beside it.
#pragma once

#include <string>
#include <vector>

#include "engine/train/training_inputs.h"
#include "sim/base/units.h"

namespace quintet::engine {

// One rank, by what for; a rank's need is their sum. Upper bounds where the plan leaves it open.
struct RankNeed {
  Bytes weights, gradients, optimizer;  // state: held all the time
  Bytes activations;  // at the worst moment, with logits, messages and gradients of
                      // activations
  Bytes offloaded;    // what a device would keep in its host's memory: the same memory here
  Bytes batches;  // a step's tokens, targets and positions, 4 bytes each; and all tokens of texts
  Bytes copies;   // of weights and moments in fp32, while a checkpoint is written beside the step
  Bytes program;  // libraries, buffers of the transport, the Program: rank_overhead
  Bytes total() const;
  bool operator==(const RankNeed&) const = default;
};

// An allowance above what was measured: the most that a rank of tiny-gpt had resident (VmHWM), less
// its other kinds here, was 31 MB of 1 rank, 33 to 36 MB of 4, 33 MB of 8 and of 16, of each 17 MB
// of program files that ranks of a host share (23 November 2026, quintet run on 2 cores of an AMD
// EPYC, Debian 12.11, UCX 1.13.1 between processes of one host). What ranks on several hosts take
// for their connections was not measured.
inline constexpr Bytes rank_overhead{50e6};

struct MemoryNeed {
  std::vector<RankNeed> stages;  // a rank of each; ranks of a stage need the same
  int fullest = 0;               // stage
  Bytes of_rank() const { return stages[static_cast<std::size_t>(fullest)].total(); }
  Bytes of_ranks(int ranks) const;  // of so many: of all, or as many of the fullest kind
};
MemoryNeed needed_memory(const TrainingInputs& inputs, const TrainingOptions& options);

// All of a checkpoint on the disk: weights and two moments in fp32, 12 bytes a parameter.
Bytes checkpoint_size(const Model& model);
// All weights in the type they are computed in.
Bytes weights_size(const TrainingInputs& inputs);

// "0.31 GiB: weights 0.1 GiB, ..."; kinds below a hundredth of the whole are left out.
std::string in_words(const RankNeed& need);
// "12.3 MiB", "1.25 GiB"
std::string binary_text(Bytes size);

}  // namespace quintet::engine
