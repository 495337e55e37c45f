// What a micro-batch of one rank is made of, where samples have lengths of their own and nothing is
// padded: all that the time of its kernels depends on. Products, norms and the like work on tokens,
// attention on the squares of lengths (arXiv 2402.02447).
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace quintet {

struct SampleWork {
  std::int64_t samples = 0;  // that attention takes apart
  std::int64_t tokens = 0;
  std::int64_t squares = 0;  // sum of squared lengths
  auto operator<=>(const SampleWork&) const = default;
};

SampleWork work_of(std::span<const int> lengths);
SampleWork sum(const SampleWork& left, const SampleWork& right);
// So many samples of one length.
SampleWork equal_samples(std::int64_t samples, std::int64_t length);

// Tokens' worth of a layer's work beside which attention over one more key costs a token: 24 h^2 s
// + 4 h s^2 operations of a layer with a feed-forward of 4 h give s + s^2 / 6 h. BERT-large's 6,144
// gives the figures of ../shared/validation/bert_load_balance_model.csv.
double cost_in_tokens(const SampleWork& work, double keys_per_token);

// Samples of unequal length, as a step's ranks have them.
struct DealtSamples {
  SampleWork padded;                             // of a micro-batch, if all were of full length
  std::vector<std::vector<SampleWork>> of_rank;  // by place on the data axis, then micro-batch
  bool empty() const { return of_rank.empty(); }
  bool operator==(const DealtSamples&) const = default;
};

}  // namespace quintet
