// Training without padding: what the slowest of many ranks gets when sequences of different length
// are dealt to them (MLPerf BERT; arXiv 2402.02447). Pure; the same input gives the same result.
#pragma once

#include "sim/samples/length_histogram.h"

namespace quintet {

enum class Dealing {
  random,
  local_presort,             // the ranks of a host deal their sequences by length, to and fro
  stratified,                // each rank draws a fixed number from each quarter of the lengths
  stratified_local_presort,  // both
  global_presort,            // all ranks deal together
};

struct DealtBatch {
  double mean_tokens = 0;     // of a rank
  double slowest_tokens = 0;  // of the rank with the most, mean over steps
  bool operator==(const DealtBatch&) const = default;
};

// `ranks` ranks of hosts of `per_host` take `sequences` each, at random by the histogram, many
// times over.
DealtBatch dealt_batch(const LengthHistogram& lengths, int ranks, int sequences, int per_host,
                       Dealing dealing);

// Sequences of equal length that stand for a batch of different ones: as many tokens, and nearly
// the same attention work.
struct EqualSequences {
  int count = 0, length = 0;
  bool operator==(const EqualSequences&) const = default;
};
EqualSequences equal_sequences(double tokens, double attention_length);

}  // namespace quintet
