#include "sim/parallelism/gradient_buckets.h"

#include <algorithm>
#include <cmath>

namespace quintet {

namespace {

void close(std::vector<Bucket>& buckets, Bytes size, DataType type) {
  Bucket& bucket = buckets.back();
  const Bytes bytes = static_cast<double>(bucket.parameters) * size_of(type);
  bucket.pieces = size.value > 0 ? std::max(1, static_cast<int>(std::floor(bytes / size))) : 1;
}

}  // namespace

std::vector<Bucket> gradient_buckets(const Model& model, const ParameterSplit& split,
                                     const Chunk& chunk, Bytes size, DataType gradient_type) {
  const std::int64_t layer = layer_parameters(model, split).total();
  const std::int64_t ends = stage_parameters(model, split, {0, chunk.embedding, chunk.head});
  const std::int64_t head = chunk.head ? stage_parameters(model, split, {0, false, true}) : 0;
  std::vector<Bucket> buckets;
  Bucket open;
  open.last_layer = chunk.first_layer + chunk.layers - 1;
  open.head = chunk.head;
  open.parameters = head;
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
  // A tied embedding beside its head has its gradient only now, though the head's part came first.
  open.embedding = chunk.embedding;
  if (chunk.embedding) open.parameters += ends - head;
  buckets.push_back(open);
  close(buckets, size, gradient_type);
  return buckets;
}

}  // namespace quintet
