// What one rank of each stage keeps in memory at the step's worst moment, by kind (layer 1,
// consequences). Formulas: model/activations.h (arXiv 2205.05198), model/state_bytes.h (arXiv
// 1910.02054), and the schedule's own order for how many micro-batches are in flight. Where B and W
// are apart all that forward kept stays until W: an upper bound, as attention's and norms' inputs
// are B's alone (M_W < M_B in arXiv 2401.10241). Not included: CUDA context, libraries,
// fragmentation (cost table).
#pragma once

#include <vector>

#include "sim/base/units.h"
#include "sim/model/model.h"
#include "sim/parallelism/compile.h"
#include "sim/plan/plan.h"

namespace quintet {

struct StageMemory {
  int stage = 0;
  Bytes weights;        // sharded parameters: the share, and the layers gathered at one time
  Bytes gradients;      // with the dummies that autograd is handed (Fusion)
  Bytes optimizer;      // master weights and moments; of what is offloaded two pieces
  Bytes activations;    // of all micro-batches in flight, and one layer's while it is recomputed
  Bytes logits;         // what the loss keeps, and its copy while it runs
  Bytes communication;  // a gathered sequence, messages under way
  // Gradients of activations while a layer's backward runs; what they take beyond the logits, which
  // are gone by then.
  Bytes working;
  Bytes host{};  // of the host's memory, beside all of the above: what is offloaded
  bool operator==(const StageMemory&) const = default;
};

std::vector<StageMemory> stage_memory(const Model& model, const Plan& plan,
                                      const CompileOptions& options = {});

}  // namespace quintet
