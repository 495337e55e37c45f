// The model that operations with shapes were of, as far as a transformer's shapes tell it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "traces/learn/shaped_operations.h"

namespace quintet {

// A number, and what in the trace says so.
struct RecognisedNumber {
  std::int64_t value = 0;
  std::string evidence;  // "the input of 73 aten::native_layer_norm"
  bool operator==(const RecognisedNumber&) const = default;
};

// Of one rank's share: layers and widths that ranks divide are those it has.
struct RecognisedModel {
  std::optional<RecognisedNumber> width, layers, feed_forward, heads, head_dim, length, vocabulary;
  std::optional<RecognisedNumber> tokens;  // of a micro-batch
  std::optional<RecognisedNumber> micro_batches;
  bool operator==(const RecognisedModel&) const = default;
};

// Of one step.
RecognisedModel recognised_model(std::span<const ShapedOperation> operations);

}  // namespace quintet
