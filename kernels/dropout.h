// Dropout whose mask is a function of the seed and of the element's place in the whole tensor, so
// every split of the tensor drops the same elements and nothing needs to be stored.
#pragma once

#include "kernels/types.h"

namespace quintet::kernels {

// output = keep ? input / (1 - probability) : 0. The backward pass is the same on gradients.
// Element e = (first_row + r) * whole_width + first_column + c of the whole tensor is kept when
// word e % 4 of philox(seed, {e / 4, draw}) is at least probability * 2^32 (philox.h).
struct Dropout {
  float probability = 0.0F;  // in [0, 1)
  std::uint64_t seed = 0;
  std::uint64_t draw = 0;  // tells apart layers, steps and micro-batches of one seed
  Index rows = 0;
  Index width = 0;
  Index whole_width = 0;  // 0: width
  Index first_row = 0;
  Index first_column = 0;
  ConstTensor input{};
  Tensor output{};  // [rows, width]; may be the memory of input
};

}  // namespace quintet::kernels
