// How long the samples of a data set are.
#pragma once

#include <string>
#include <vector>

#include "sim/base/result.h"

namespace quintet {

// share[i]: of the samples, those of i + 1 tokens; together 1.
struct LengthHistogram {
  std::vector<double> share;
  bool empty() const { return share.empty(); }
  bool operator==(const LengthHistogram&) const = default;
};

// Tokens of a sample, in the mean.
double mean_length(const LengthHistogram& lengths);
// Length of equal samples that have the attention work of these at the same number of tokens: the
// mean square over the mean.
double attention_length(const LengthHistogram& lengths);
// The share of samples of `from` + 1 to `to` tokens.
double share_between(const LengthHistogram& lengths, int from, int to);

// As documents are cut that are longer: into pieces of that length and what is left.
LengthHistogram cut_to(const LengthHistogram& lengths, int longest);

// A CSV file: a header, then "length,count" lines in any order; a length that comes again adds to
// what was counted. The error names file and line.
Result<LengthHistogram> parse_length_histogram(const std::string& text, const std::string& file);

}  // namespace quintet
