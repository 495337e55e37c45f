// Which layers of the model a stage holds, and what else.
#pragma once

#include <vector>

#include "sim/model/activations.h"
#include "sim/model/layer_operators.h"
#include "sim/model/model.h"
#include "sim/model/parameters.h"
#include "sim/model/update_operators.h"
#include "sim/plan/parallelism.h"

namespace quintet {

// One virtual stage. The model's chunk number is chunk * pipeline + stage.
struct Chunk {
  int first_layer = 0;
  int layers = 0;
  bool embedding = false;  // first of the model
  bool head = false;       // last of the model
  bool operator==(const Chunk&) const = default;
};

// Per stage, its chunks in order.
std::vector<std::vector<Chunk>> stage_chunks(const Model& model, const Parallelism& parallelism);

// A chunk without its place in the model: chunks with equal parts compute the same.
StagePart stage_part(const Chunk& chunk);

// The type of weights and activations: fp8 is a type of GEMMs alone, as in Transformer Engine.
DataType tensor_type(DataType compute_type);

// One micro-batch of the plan as the model's functions want it.
LayerWork layer_work(const Parallelism& parallelism, const Fusion& fusion, int vocabulary_multiple);

// What of a layer its backward does again, by the plan and the software's kernels.
RecomputedPart recomputed_part(Recompute recompute, const Fusion& fusion);
UpdateRule update_rule(Optimizer optimizer);

}  // namespace quintet
