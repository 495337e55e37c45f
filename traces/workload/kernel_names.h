// What a kernel of another program does, as far as its name tells. Pure.
#pragma once

#include <string_view>

#include "sim/model/operator.h"

namespace quintet {

// Products, attention, norms, optimizers by the words that cuBLAS, CUTLASS, cuDNN, FlashAttention,
// Apex, Transformer Engine, Triton and PyTorch have for them; all else is OperatorKind::kernel.
OperatorKind kind_of_kernel(std::string_view name);

// "void at::native::elementwise_kernel<128, 4, ...>(int, ...)" -> "at::native::elementwise_kernel".
std::string_view short_name(std::string_view name);

}  // namespace quintet
