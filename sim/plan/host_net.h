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

struct HostNet {
  Delivery delivery = Delivery::direct;
  std::optional<Delivery> pipeline_delivery;  // sends between stages, when they differ
  // Delegated: queues per direction and kind (D of PipeMorph, arXiv 2504.19232).
  int delegates = 1;
  int queue_pairs = 1;  // per connection: each is hashed onto a path of its own
  Launch launch = Launch::eager;
  bool operator==(const HostNet&) const = default;
};

// The word of plan.json.
std::string_view name_of(Delivery delivery);
std::string_view name_of(Launch launch);

}  // namespace quintet
