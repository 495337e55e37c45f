// What a micro-batch of training is: rows of tokens, and what the model shall say at each.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/files/data/byte_pair_encoder.h"

namespace quintet {

// A position whose answer does not count (as kernels/cross_entropy.h has it).
inline constexpr TokenId no_target = -1;

// One row of tokens. Every document in it is attended to apart from the others.
struct TokenRow {
  std::vector<TokenId> tokens, targets;
  std::vector<std::int32_t> document_starts;  // ascending, the first is 0
  std::vector<std::int32_t> types;            // segments of BERT; elsewhere empty
  std::int32_t label = no_target;             // BERT's next-sentence label: 0 follows, 1 does not
  bool operator==(const TokenRow&) const = default;
};

struct Batch {
  std::int64_t first_sequence = 0;       // its number since the beginning of training
  int sequences = 0, length = 0;         // the longest that a sequence may be
  std::vector<TokenId> tokens, targets;  // sequences one after the other
  std::vector<std::int32_t> positions;   // of each token in its document
  // Into the flat tokens: each document's first token, and the end. (kernels/attention.h: starts)
  std::vector<std::int32_t> starts;
  std::vector<std::int32_t> types;   // as many as tokens, or none
  std::vector<std::int32_t> labels;  // one per sequence, or none
  bool operator==(const Batch&) const = default;
};

}  // namespace quintet
