#include "sim/parallelism/stage_layers.h"

namespace quintet {

std::vector<std::vector<Chunk>> stage_chunks(const Model& model, const Parallelism& parallelism) {
  const int stages = parallelism.pipeline;
  const int chunks = stages * parallelism.virtual_stages;
  std::vector<std::vector<Chunk>> placed(static_cast<std::size_t>(stages));
  int first = 0;
  for (int number = 0; number < chunks; ++number) {
    Chunk chunk;
    chunk.first_layer = first;
    chunk.layers = parallelism.stage_layers.empty()
                       ? model.layers / chunks
                       : parallelism.stage_layers[static_cast<std::size_t>(number)];
    chunk.embedding = number == 0;
    chunk.head = number == chunks - 1;
    first += chunk.layers;
    placed[static_cast<std::size_t>(number % stages)].push_back(chunk);
  }
  return placed;
}

DataType tensor_type(DataType compute_type) {
  return compute_type == DataType::fp8 ? DataType::bf16 : compute_type;
}

StagePart stage_part(const Chunk& chunk) {
  return {chunk.layers, chunk.embedding, chunk.head};
}

LayerWork layer_work(const Parallelism& parallelism, const Fusion& fusion,
                     int vocabulary_multiple) {
  LayerWork work;
  work.sequences = parallelism.micro_batch;
  work.sequence_length = parallelism.sequence_length;
  work.type = tensor_type(parallelism.compute_type);
  if (work.type != parallelism.compute_type) work.gemm_type = parallelism.compute_type;
  work.float8_scaling = parallelism.float8.scaling;
  work.gradient_type = parallelism.gradient_type;
  work.attention = parallelism.attention == AttentionChoice::flash ? AttentionKernel::flash
                                                                   : AttentionKernel::unfused;
  work.split = {parallelism.tensor, parallelism.sequence_parallel, parallelism.context};
  work.fusion = fusion;
  work.vocabulary_multiple = vocabulary_multiple;
  return work;
}

RecomputedPart recomputed_part(Recompute recompute, const Fusion& fusion) {
  switch (recompute) {
    case Recompute::none:
      return RecomputedPart::nothing;
    case Recompute::selective:
      return fusion.alternate_products_kept ? RecomputedPart::alternate_products
                                            : RecomputedPart::attention_core;
    case Recompute::full:
      return RecomputedPart::whole_layer;
  }
  return RecomputedPart::nothing;
}

UpdateRule update_rule(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::adamw:
      return UpdateRule::adamw;
    case Optimizer::lamb:
      return UpdateRule::lamb;
    case Optimizer::sgd:
      return UpdateRule::sgd;
  }
  return UpdateRule::adamw;
}

}  // namespace quintet
