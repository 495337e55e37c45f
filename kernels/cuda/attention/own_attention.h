// Our own kernels for whatever attention is asked for.
#pragma once

#include <memory>

#include "kernels/cuda/fused_attention.h"

namespace quintet::kernels::cuda {

// It can do all.
std::unique_ptr<FusedAttention> own_attention();

}  // namespace quintet::kernels::cuda
