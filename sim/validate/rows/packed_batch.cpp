#include "sim/validate/rows/packed_batch.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <random>

#include "sim/samples/presort.h"

namespace quintet {

namespace {

// How many sequences of a rank come from where: all from everywhere, or its share of each quarter
// of the lengths.
std::vector<Quota> quotas(const LengthHistogram& lengths, int sequences, Dealing dealing) {
  if (dealing != Dealing::stratified && dealing != Dealing::stratified_local_presort)
    return unstratified(lengths, sequences);
  const std::vector<int> bins = equal_bins(static_cast<int>(lengths.share.size()));
  return stratified(lengths, bins, counts_by_share(lengths, bins, sequences));
}

// That of the rank that has the most.
double most_tokens(const std::vector<Quota>& from, int ranks, int group, std::mt19937_64& random) {
  std::vector<Lengths> all;
  for (int rank = 0; rank < ranks; ++rank) all.push_back(drawn(from, random));
  int most = 0;
  for (const Lengths& rank : presorted(all, group))
    most = std::max(most, std::accumulate(rank.begin(), rank.end(), 0));
  return most;
}

int ranks_that_share(Dealing dealing, int ranks, int per_host) {
  switch (dealing) {
    case Dealing::random:
    case Dealing::stratified:
      return 1;
    case Dealing::local_presort:
    case Dealing::stratified_local_presort:
      return std::min(ranks, per_host);
    case Dealing::global_presort:
      return ranks;
  }
  return 1;
}

}  // namespace

DealtBatch dealt_batch(const LengthHistogram& lengths, int ranks, int sequences, int per_host,
                       Dealing dealing) {
  assert(ranks >= 1 && sequences >= 1 && per_host >= 1 && !lengths.share.empty());
  constexpr double drawn_in_all = 2e6;  // leaves the mean of the largest within half a percent
  const int steps = static_cast<int>(
      std::clamp(drawn_in_all / (static_cast<double>(ranks) * sequences), 20.0, 2000.0));
  const std::vector<Quota> from = quotas(lengths, sequences, dealing);
  const int group = ranks_that_share(dealing, ranks, per_host);
  std::mt19937_64 random(1);
  DealtBatch batch{mean_length(lengths) * sequences, 0};
  for (int step = 0; step < steps; ++step)
    batch.slowest_tokens += most_tokens(from, ranks, group, random) / steps;
  return batch;
}

EqualSequences equal_sequences(double tokens, double attention_length) {
  const int count = std::max(1, static_cast<int>(std::lround(tokens / attention_length)));
  return {count, std::max(1, static_cast<int>(std::lround(tokens / count)))};
}

}  // namespace quintet
