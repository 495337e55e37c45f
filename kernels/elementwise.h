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

// Sets *found to 1 when an element is infinite or NaN, and else leaves it (loss scaling: set it to
// 0, look at all gradients, skip the step where it is 1).
struct FindNonFinite {
  Index count = 0;
  ConstTensor values{};
  std::int32_t* found = nullptr;
};

}  // namespace quintet::kernels
