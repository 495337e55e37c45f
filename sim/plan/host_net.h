// Layer 4, decisions: how a byte gets from GPU memory to the wire.
#pragma once

#include <optional>
#include <string_view>

#include "sim/plan/parallelism.h"

namespace quintet {

enum class Delivery {
  direct,  // NIC reads and writes GPU memory (GPUDirect RDMA)
  staged,  // through host memory, pipelined by slices; the GPU's own communication kernels drive it
  // A CPU process sends from host memory; no GPU kernel takes part (PipeMorph, arXiv 2504.19232).
  delegated,
};

enum class Launch {
  eager,   // one CPU launch per kernel
  graphs,  // the step captured once (CUDA graphs)
};

// What a message between stages keeps from going on while communication kernels of the GPU send it
// (PipeMorph, arXiv 2504.19232 section 3: head-of-line blocking). None of it where the host's
// processors send.
enum class HeadOfLine {
  none,
  // Until a message moves the CPU launches nothing after its send: Megatron-LM's 1F1B, which waits
  // for its exchanges, and NCCL, whose queue is full.
  launches,
  // Moreover both directions between two neighbours take turns, message by message, because one
  // communicator's queue carries both: zero-bubble orders over NCCL.
  neighbours,
};

struct HostNet {
  Delivery delivery = Delivery::direct;
  std::optional<Delivery> pipeline_delivery;  // sends between stages, when they differ
  // Delegated: queues per direction and kind (D of PipeMorph, arXiv 2504.19232).
  int delegates = 1;
  int queue_pairs = 1;  // per connection: each is hashed onto a path of its own
  Launch launch = Launch::eager;
  HeadOfLine head_of_line = HeadOfLine::none;
  bool operator==(const HostNet&) const = default;
};

// The word of plan.json.
std::string_view name_of(Delivery delivery);
std::string_view name_of(Launch launch);
std::string_view name_of(HeadOfLine head_of_line);

}  // namespace quintet
