#include "sim/plan/sample_format.h"

namespace quintet {

SampleFormat sample_format(const Model& model, int sequence_length) {
  constexpr int most_in_two_bytes = 0xffff;  // with one number more: no target
  const bool two_bytes = model.vocabulary < most_in_two_bytes;
  return {model.token_types > 0 ? 4 : 3, sequence_length,
          two_bytes ? DataType::bf16 : DataType::fp32};
}

Bytes sample_bytes(const Model& model, const Parallelism& parallelism) {
  const SampleFormat format = sample_format(model, parallelism.sequence_length);
  const std::int64_t samples = std::int64_t{parallelism.micro_batch} * parallelism.micro_batches;
  return static_cast<double>(samples * format.numbers_of_a_sample()) * size_of(format.type);
}

}  // namespace quintet
