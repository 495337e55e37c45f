#include "engine/files/data/masking.h"

#include <algorithm>
#include <cassert>

namespace quintet {
namespace {

// What the numbers of one seed are for. The high half of a stream; the low half is the sequence.
enum class Purpose : std::uint64_t { choice = 1, shown, replacement, pairing, partner };

RandomStream stream_of(std::uint64_t seed, Purpose purpose, std::int64_t sequence) {
  return {seed, static_cast<std::uint64_t>(purpose) << 56 | static_cast<std::uint64_t>(sequence)};
}

bool holds(const std::vector<TokenId>& tokens, TokenId token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

// Tries again until the token may be shown; `never` is a small part of the vocabulary.
TokenId random_token(const Masking& masking, std::int64_t sequence, std::uint64_t place) {
  const RandomStream stream = stream_of(masking.seed, Purpose::replacement, sequence);
  for (std::uint64_t round = 0;; ++round) {
    const auto token = static_cast<TokenId>(
        random_below(stream, round << 32 | place, static_cast<std::uint64_t>(masking.vocabulary)));
    if (!holds(masking.never, token)) return token;
  }
}

TokenId shown_token(TokenId token, const Masking& masking, std::int64_t sequence,
                    std::uint64_t place) {
  const double share = random_share(stream_of(masking.seed, Purpose::shown, sequence), place);
  if (share < masking.masked) return masking.mask;
  if (share < masking.masked + masking.replaced) return random_token(masking, sequence, place);
  return token;
}

}  // namespace

void mask_tokens(TokenRow& row, const Masking& masking, std::int64_t sequence) {
  assert(masking.never.size() < static_cast<std::size_t>(masking.vocabulary));
  const RandomStream choice = stream_of(masking.seed, Purpose::choice, sequence);
  row.targets.assign(row.tokens.size(), no_target);
  for (std::size_t i = 0; i < row.tokens.size(); ++i) {
    if (holds(masking.never, row.tokens[i]) || random_share(choice, i) >= masking.share) continue;
    row.targets[i] = row.tokens[i];
    row.tokens[i] = shown_token(row.tokens[i], masking, sequence, i);
  }
}

void pair_sentences(TokenRow& row, const TokenRow& other, std::uint64_t seed,
                    std::int64_t sequence) {
  assert(row.tokens.size() == other.tokens.size() && row.document_starts.size() == 1);
  const auto middle = static_cast<std::ptrdiff_t>(row.tokens.size() / 2);
  row.types.assign(row.tokens.size(), 0);
  std::fill(row.types.begin() + middle, row.types.end(), 1);
  row.label =
      static_cast<std::int32_t>(random_below(stream_of(seed, Purpose::pairing, sequence), 0, 2));
  if (row.label == 0) return;
  std::copy(other.tokens.begin() + middle, other.tokens.end(), row.tokens.begin() + middle);
  std::copy(other.targets.begin() + middle, other.targets.end(), row.targets.begin() + middle);
}

std::int64_t other_row(std::uint64_t seed, std::int64_t sequence, std::int64_t rows) {
  return static_cast<std::int64_t>(random_below(stream_of(seed, Purpose::partner, sequence), 0,
                                                static_cast<std::uint64_t>(rows)));
}

}  // namespace quintet
