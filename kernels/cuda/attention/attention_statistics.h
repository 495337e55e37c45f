// The order of attention's statistics: by head (kernels/attention.h) or by sequence (cuDNN).
#pragma once

#include "kernels/types.h"

namespace quintet::kernels::cuda {

// to[second, first, length] = from[first, second, length].
void swap_axes(const float* from, float* to, Index first, Index second, Index length,
               const Stream& stream);

}  // namespace quintet::kernels::cuda
