#include "engine/operators/sized_batches.h"

#include <algorithm>
#include <cassert>

namespace quintet::engine {

namespace {

// Rows of 16 bytes of bf16: what tensor cores' products want of their sides.
constexpr int multiple = 8;

int up_to_multiple(int count, int of) {
  return (count + of - 1) / of * of;
}

}  // namespace

std::vector<int> counts_of_tokens(int sequences, int length) {
  const int most = sequences * length;
  const int part = std::max(sequences, (most + token_counts - 1) / token_counts);
  const int step = up_to_multiple(part, multiple);
  std::vector<int> counts;
  for (int count = step; count < most; count += step) counts.push_back(count);
  counts.push_back(most);
  return counts;
}

Batch rounded_up(Batch batch, const std::vector<int>& counts) {
  const auto own = static_cast<int>(batch.tokens.size());
  const auto found = std::lower_bound(counts.begin(), counts.end(), own);
  assert(found != counts.end());
  const auto whole = static_cast<std::size_t>(*found);
  batch.tokens.resize(whole, 0);
  batch.targets.resize(whole, no_target);
  if (!batch.types.empty()) batch.types.resize(whole, 0);
  for (int at = own; at < *found; ++at) {
    batch.positions.push_back((at - own) % batch.length);
    if ((at + 1 - own) % batch.length == 0 || at + 1 == *found) batch.starts.push_back(at + 1);
  }
  return batch;
}

}  // namespace quintet::engine
