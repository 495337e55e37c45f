#include "sim/parallelism/replication/replicated_unit.h"

#include <algorithm>
#include <cmath>

namespace quintet {

std::int64_t chunk_length(std::int64_t dimension, std::int64_t target) {
  std::int64_t length = std::max<std::int64_t>(1, std::min(dimension, target));
  while (dimension % length != 0) --length;
  return length;
}

namespace {

std::int64_t kept_of(std::int64_t chunk_size, const Replicator& replicator) {
  return std::min<std::int64_t>(replicator.top_k, chunk_size);
}

}  // namespace

ChunkedTensor chunked(const TensorShape& shape, const Replicator& replicator) {
  ChunkedTensor made{shape, chunk_length(shape.rows, replicator.chunk),
                     chunk_length(shape.columns, replicator.chunk)};
  made.kept = kept_of(made.chunk_size(), replicator);
  return made;
}

ReplicatedUnit unit_of_tensors(const TensorShapes& tensors, const Replicator& replicator) {
  ReplicatedUnit unit{count_of(tensors), {}};
  if (replicator.kind != ReplicatorKind::demo) return unit;
  for (const TensorShape& tensor : tensors) unit.tensors.push_back(chunked(tensor, replicator));
  return unit;
}

ReplicatedUnit unit_of_line(std::int64_t elements, const Replicator& replicator) {
  if (replicator.kind != ReplicatorKind::demo) return {elements, {}};
  const std::int64_t chunks = (elements + replicator.chunk - 1) / replicator.chunk;
  const TensorShape line{1, chunks * replicator.chunk};
  return {line.count(), {{line, 1, replicator.chunk, kept_of(replicator.chunk, replicator)}}};
}

std::int64_t stride_of(const Replicator& replicator) {
  return std::max<std::int64_t>(1, std::llround(1 / replicator.rate));
}

std::int64_t sent_elements(const ReplicatedUnit& unit, const Replicator& replicator) {
  const std::int64_t all = unit.elements;
  switch (replicator.kind) {
    case ReplicatorKind::demo: {
      std::int64_t sum = 0;
      for (const ChunkedTensor& tensor : unit.tensors) sum += tensor.chunks() * tensor.kept;
      return sum;
    }
    case ReplicatorKind::random: {
      const std::int64_t drawn = std::llround(replicator.rate * static_cast<double>(all));
      return std::clamp<std::int64_t>(drawn, std::min<std::int64_t>(1, all), all);
    }
    case ReplicatorKind::striding:
      return (all + stride_of(replicator) - 1) / stride_of(replicator);
    case ReplicatorKind::full:
    case ReplicatorKind::diloco:
      return all;
    case ReplicatorKind::none:
      return 0;
  }
  return 0;
}

Bytes sent_bytes(const ReplicatedUnit& unit, const Replicator& replicator) {
  const bool indexed = replicator.kind == ReplicatorKind::demo;
  const Bytes each =
      size_of(replicator.value_type) + (indexed ? size_of(replicator.index_type) : Bytes{});
  return static_cast<double>(sent_elements(unit, replicator)) * each;
}

}  // namespace quintet
