// Parameters that replicas exchange together, and what of them is on the wire.
//
// A rank that has tensors whole transforms each by itself, in chunks of which both lengths are the
// largest divisors up to the plan's (github.com/bloc97/DeMo). A rank that has a share of a sharding
// group's parameters has them as one line (FlexDeMo's flattened shards), which is cut into chunks
// of the plan's length; zeros fill the last.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/units.h"
#include "sim/parallelism/replication/tensor_shapes.h"
#include "sim/plan/replicator.h"

namespace quintet {

// The largest divisor of `dimension` that is at most `target`.
std::int64_t chunk_length(std::int64_t dimension, std::int64_t target);

// A tensor or line and its chunks, of each of which the `kept` largest coefficients are sent.
struct ChunkedTensor {
  TensorShape shape;
  std::int64_t chunk_rows = 1, chunk_columns = 1, kept = 1;
  std::int64_t chunk_size() const { return chunk_rows * chunk_columns; }
  std::int64_t chunks() const { return shape.count() / chunk_size(); }
  bool operator==(const ChunkedTensor&) const = default;
};
ChunkedTensor chunked(const TensorShape& shape, const Replicator& replicator);

// As one rank has it after the sums in its sharding group.
struct ReplicatedUnit {
  std::int64_t elements = 0;           // with the zeros that fill a line's last chunk
  std::vector<ChunkedTensor> tensors;  // demo's; of other kinds none
  bool operator==(const ReplicatedUnit&) const = default;
};
ReplicatedUnit unit_of_tensors(const TensorShapes& tensors, const Replicator& replicator);
ReplicatedUnit unit_of_line(std::int64_t elements, const Replicator& replicator);

// The distance between elements that striding sends.
std::int64_t stride_of(const Replicator& replicator);
// Coefficients or elements that one rank sends of a unit. Random: rate times elements, rounded, at
// least 1. Striding: elements over the stride, rounded up; zeros stand for those beyond the end.
std::int64_t sent_elements(const ReplicatedUnit& unit, const Replicator& replicator);
// What one rank gives to the collective: values, and demo's indices before them.
Bytes sent_bytes(const ReplicatedUnit& unit, const Replicator& replicator);

}  // namespace quintet
