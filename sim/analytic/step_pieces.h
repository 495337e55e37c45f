// A plan cut into what its walk by stages needs: bodies with times, buckets with the time of their
// collectives, messages, the order of passes.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/analytic/layer_pieces.h"
#include "sim/parallelism/gradient_buckets.h"
#include "sim/parallelism/stage_layers.h"

namespace quintet {

// Collectives one after the other, and each so many times.
struct MoveChain {
  struct Link {
    PricedMove move;
    int times = 1;
    bool operator==(const Link&) const = default;
  };
  std::vector<Link> links;
  bool operator==(const MoveChain&) const = default;
};

struct BucketPieces {
  Bucket bucket;
  const TimedBody* prepare = nullptr;  // before it leaves
  const TimedBody* keep = nullptr;     // of a micro-batch whose gradients stay
  MoveChain sum;                       // its exchange
  MoveChain gather;                    // of its weights
  bool operator==(const BucketPieces&) const = default;
};

struct ChunkPieces {
  Chunk chunk;
  int recomputed = 0;  // layers, the first of the chunk
  std::vector<BucketPieces> buckets;
  MoveChain gather_layer, gather_embedding, gather_head;  // FSDP
  bool operator==(const ChunkPieces&) const = default;
};

// What ends a stage's step (StageExchange::finish_step).
struct EndPieces {
  const TimedBody* norm = nullptr;  // null: there is none
  const TimedBody* clip = nullptr;
  const TimedBody* unscale_norm = nullptr;
  const TimedBody* unscale = nullptr;
  MoveChain shared_sum;  // of norms' gradients, over the tensor axis
  MoveChain tied_sum;    // of the tied embedding
  const TimedBody* update = nullptr;
  const TimedBody* update_rest = nullptr;  // behind the tensors' norms (LAMB)
  MoveChain tensor_norms;
  bool operator==(const EndPieces&) const = default;
};

// What stages with equal parts have alike.
struct StageKind {
  std::vector<ChunkPieces> chunks;
  EndPieces end;
  bool operator==(const StageKind&) const = default;
};
struct StageKindHash {
  std::size_t operator()(const StageKind& kind) const;
};

struct StagePieces {
  const StageKind* kind = nullptr;
  double speed = 1;  // of its slowest rank
  PricedMove send_forward, send_backward;
};

struct StepPieces {
  const LayerPieces* layers = nullptr;
  std::vector<StagePieces> stages;
  MoveChain norm_sum, unscale_sum;  // of the gradient's norm, over the model's ranks
};

}  // namespace quintet
