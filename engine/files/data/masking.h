// BERT's two tasks over rows of tokens (Devlin et al., arXiv 1810.04805, section 3.1 and A.1):
// to find masked tokens again, and to tell whether a second sentence follows the first.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/files/data/batch.h"
#include "engine/files/storage/counter_random.h"

namespace quintet {

struct Masking {
  double share = 0.15;    // of the tokens is asked for;
  double masked = 0.8;    // of those: shown as the mask,
  double replaced = 0.1;  // shown as a random token; the rest is shown as it is
  TokenId mask = 0;
  std::vector<TokenId> never;  // ends of text, padding: not asked for and not put in
  int vocabulary = 0;
  std::uint64_t seed = 0;
};

// Targets become the tokens asked for and no_target elsewhere. `sequence` is the row's number since
// the beginning of training: another epoch masks other tokens, another layout the same.
void mask_tokens(TokenRow& row, const Masking& masking, std::int64_t sequence);

// The second half of the row counts as the second sentence (type 1). For half of the sequences it
// is replaced by the second half of `other` (label 1). Rows of one document each.
void pair_sentences(TokenRow& row, const TokenRow& other, std::uint64_t seed,
                    std::int64_t sequence);

// Which of `rows` rows is that other one.
std::int64_t other_row(std::uint64_t seed, std::int64_t sequence, std::int64_t rows);

}  // namespace quintet
