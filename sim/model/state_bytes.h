// Bytes of weights, gradients and optimizer state, per parameter on one rank.
// ZeRO, arXiv 1910.02054 section 3: 2 + 2 + K with K = 12 for mixed-precision Adam.
#pragma once

#include "sim/base/data_type.h"
#include "sim/base/units.h"
#include "sim/model/update_operators.h"

namespace quintet {

struct StateTypes {
  DataType weights = DataType::bf16;
  DataType gradients = DataType::fp32;  // Megatron-LM's main gradient; ZeRO's paper has 16 bit
  bool master_weights = true;           // in fp32; weights in fp32 are their own
  UpdateRule rule = UpdateRule::adamw;  // two moments, sgd one
  DataType moments = DataType::fp32;
  bool operator==(const StateTypes&) const = default;
};

// How many ranks share one copy of each.
struct StateSharding {
  int weights = 1;
  int gradients = 1;
  int optimizer = 1;  // master weights and moments
  bool operator==(const StateSharding&) const = default;
};

struct StateBytes {
  Bytes weights, gradients, optimizer;
  Bytes total() const { return weights + gradients + optimizer; }
  bool operator==(const StateBytes&) const = default;
};

// What only the update reads and writes: the moments, and the master weights where kernels read a
// copy of another type.
Bytes streamed_bytes_per_parameter(const StateTypes& types);

// Fractions of a byte stand for the average over ranks.
StateBytes state_bytes_per_parameter(const StateTypes& types, const StateSharding& sharding);

}  // namespace quintet
