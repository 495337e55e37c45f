// How a stage's gradients are cut into buckets: groups of whole layers, from the last layer to the
// first, each at least as large as the plan's bucket; a layer larger than a bucket goes in several
// pieces.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/units.h"
#include "sim/parallelism/replication/replicated_unit.h"
#include "sim/parallelism/stage_layers.h"

namespace quintet {

struct Bucket {
  int last_layer = 0;  // the first to be done in backward
  int layers = 0;      // may be 0: the embedding's or head's own
  bool head = false;   // holds the head's parameters too
  bool embedding = false;
  std::int64_t parameters = 0;  // on this rank
  int pieces = 1;               // collectives it is sent in
  std::int64_t piece() const { return parameters / pieces; }
  std::int64_t last_piece() const { return parameters - piece() * (pieces - 1); }
  bool operator==(const Bucket&) const = default;
};

// In the order in which backward completes them. size 0: one bucket for the chunk. A tied embedding
// beside its head counts as the embedding's: its gradient is whole only after the embedding's
// backward.
std::vector<Bucket> gradient_buckets(const Model& model, const ParameterSplit& split,
                                     const Chunk& chunk, Bytes size, DataType gradient_type);

// What replicas exchange of a bucket: its tensors, or, of parameters that so many ranks share, one
// line with this rank's share of all.
ReplicatedUnit replicated_unit(const Model& model, const ParameterSplit& split, const Chunk& chunk,
                               const Bucket& bucket, const Replicator& replicator, int shards);

// Buckets of micro-batches that are summed before they leave are clipped one by one, into a sum in
// fp32 beside backward's buffer. Not where shares leave with every micro-batch, and not where
// backward runs in two passes, which mix them.
bool clips_micro_batches(const Parallelism& parallelism);

}  // namespace quintet
