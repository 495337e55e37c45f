// Softmax cross-entropy that writes its gradient over the logits, whole or by vocabulary shards.
#pragma once

#include "kernels/types.h"

namespace quintet::kernels {

// A target below 0 is ignored: no loss, no gradient.
struct CrossEntropyRows {
  Index rows = 0;
  Index shard_size = 0;          // logits per row that lie here
  Index stride = 0;              // elements from row to row, 0: shard_size; padding is not touched
  std::int32_t shard_first = 0;  // vocabulary index of the first of them
  const std::int32_t* targets = nullptr;  // [rows], vocabulary indices
  Tensor logits{};
};

// The stages of a vocabulary-parallel loss. Between them the caller reduces over the shards:
// maximum by max, sum and target_logit by sum. All three reductions are exact, so any number of
// shards and any order of reduction give the bits of the whole: each exponential is rounded to a
// multiple of 2^-32, and doubles add such numbers without error up to a sum of 2^21 (vocabularies
// of 2 million).
struct CrossEntropyMaximum {
  CrossEntropyRows rows{};
  float* maximum = nullptr;  // [rows]
};

struct CrossEntropySum {
  CrossEntropyRows rows{};
  const float* maximum = nullptr;  // of all shards
  double* sum = nullptr;           // [rows] of exp(logit - maximum)
  float* target_logit = nullptr;   // [rows], 0 where the target is in another shard or ignored
};

// loss = log(sum) + maximum - target_logit; logits become (probability - [is target]) * scale.
struct CrossEntropyGradient {
  CrossEntropyRows rows{};
  const float* maximum = nullptr;
  const double* sum = nullptr;
  const float* target_logit = nullptr;
  float gradient_scale = 1.0F;         // 1 / tokens of the batch
  float* loss = nullptr;               // [rows], not scaled
  const double* loss_scale = nullptr;  // optional: read when run, multiplies the gradient's
};

// All stages at once, for a vocabulary that lies here whole.
struct CrossEntropy {
  CrossEntropyRows rows{};
  float gradient_scale = 1.0F;
  float* loss = nullptr;  // [rows], not scaled
  const double* loss_scale = nullptr;
};

}  // namespace quintet::kernels
