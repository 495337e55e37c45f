#include "sim/parallelism/gradient_buckets.h"

#include <algorithm>
#include <cmath>

#include "sim/parallelism/pipeline_order.h"

namespace quintet {

namespace {

void close(std::vector<Bucket>& buckets, Bytes size, DataType type) {
  Bucket& bucket = buckets.back();
  const Bytes bytes = static_cast<double>(bucket.parameters) * size_of(type);
  const double most = std::clamp<double>(static_cast<double>(bucket.parameters), 1, 1e9);
  bucket.pieces =
      size.value > 0 ? static_cast<int>(std::clamp(std::floor(bytes / size), 1.0, most)) : 1;
}

std::int64_t head_part(const Model& model, const ParameterSplit& split, const Chunk& chunk) {
  if (!chunk.head) return 0;
  const HeadParameters head = head_parameters(model, split);
  const bool tied = model.tied_embeddings && chunk.embedding;
  return tied ? head.total() - head.projection : head.total();
}

}  // namespace

bool clips_micro_batches(const Parallelism& parallelism) {
  return parallelism.clipping == Clipping::per_bucket && parallelism.micro_batches > 1 &&
         !splits_backward(parallelism) &&
         (parallelism.sharding == Sharding::none || parallelism.sharding == Sharding::optimizer);
}

std::vector<Bucket> gradient_buckets(const Model& model, const ParameterSplit& split,
                                     const Chunk& chunk, Bytes size, DataType gradient_type) {
  const std::int64_t layer = layer_parameters(model, split).total();
  std::vector<Bucket> buckets;
  Bucket open;
  open.last_layer = chunk.first_layer + chunk.layers - 1;
  open.head = chunk.head;
  open.parameters = head_part(model, split, chunk);
  for (int index = chunk.layers - 1; index >= 0; --index) {
    ++open.layers;
    open.parameters += layer;
    const Bytes bytes = static_cast<double>(open.parameters) * size_of(gradient_type);
    if (size.value <= 0 || bytes < size || index == 0) continue;
    buckets.push_back(open);
    close(buckets, size, gradient_type);
    open = Bucket{};
    open.last_layer = chunk.first_layer + index - 1;
  }
  open.embedding = chunk.embedding;
  if (chunk.embedding) open.parameters += embedding_parameters(model, split).total();
  buckets.push_back(open);
  close(buckets, size, gradient_type);
  return buckets;
}

ReplicatedUnit replicated_unit(const Model& model, const ParameterSplit& split, const Chunk& chunk,
                               const Bucket& bucket, const Replicator& replicator, int shards) {
  if (shards > 1) return unit_of_line((bucket.parameters + shards - 1) / shards, replicator);
  TensorShapes tensors;
  const auto add = [&](const TensorShapes& more) {
    tensors.insert(tensors.end(), more.begin(), more.end());
  };
  const bool tied = model.tied_embeddings && chunk.embedding;
  if (bucket.head)
    add(head_tensors(model, split, tied ? Projection::of_embedding : Projection::own));
  for (int layer = 0; layer < bucket.layers; ++layer) add(layer_tensors(model, split));
  if (bucket.embedding) add(embedding_tensors(model, split));
  return unit_of_tensors(tensors, replicator);
}

}  // namespace quintet
