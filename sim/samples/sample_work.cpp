#include "sim/samples/sample_work.h"

namespace quintet {

SampleWork work_of(std::span<const int> lengths) {
  SampleWork work;
  for (const int length : lengths) work = sum(work, equal_samples(1, length));
  return work;
}

SampleWork sum(const SampleWork& left, const SampleWork& right) {
  return {left.samples + right.samples, left.tokens + right.tokens, left.squares + right.squares};
}

SampleWork equal_samples(std::int64_t samples, std::int64_t length) {
  return {samples, samples * length, samples * length * length};
}

double cost_in_tokens(const SampleWork& work, double keys_per_token) {
  return static_cast<double>(work.tokens) + static_cast<double>(work.squares) / keys_per_token;
}

}  // namespace quintet
