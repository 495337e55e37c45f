// Element by element: add, scale, convert, look for overflow.
#pragma once

#include "kernels/types.h"

namespace quintet::kernels {

struct ResidualAdd {
  Index count = 0;
  ConstTensor left{};
  ConstTensor right{};
  Tensor output{};  // may be the memory of either
};

// sum += addend: micro-batches, shards of a reduction.
struct Accumulate {
  Index count = 0;
  ConstTensor addend{};
  float* sum = nullptr;
};

// Element by element the sum or the largest of several ranges of one type (fp32, bf16), in the
// order of the terms: ((first, second), third), ... in fp32, rounded once. A NaN that is not the
// first term's is no candidate for the largest.
enum class Combining { sum, maximum };
struct Combine {
  static constexpr int most_terms = 128;
  static constexpr int into_every_term = -1;

  Index count = 0;
  ElementType type = ElementType::fp32;
  Combining by = Combining::sum;
  int terms = 0;
  void* term[most_terms] = {};
  int into = into_every_term;  // whose memory the result takes; the others keep what they hold
};

// values *= *factor.
struct Scale {
  Index count = 0;
  Tensor values{};
  const float* factor = nullptr;
};

// Any two of the three types; rounds to nearest, ties to even; too large becomes infinity, NaN
// stays.
struct Cast {
  Index count = 0;
  ConstTensor from{};
  Tensor to{};
};

// Sums kept in double, to and from what ranks send each other.
struct Narrow {
  Index count = 0;
  const double* from = nullptr;
  float* to = nullptr;
};
struct Widen {
  Index count = 0;
  const float* from = nullptr;
  double* to = nullptr;
};

// Sets *found to 1 when an element is infinite or NaN, and else leaves it (loss scaling: set it to
// 0, look at all gradients, skip the step where it is 1).
struct FindNonFinite {
  Index count = 0;
  ConstTensor values{};
  std::int32_t* found = nullptr;
};

}  // namespace quintet::kernels
