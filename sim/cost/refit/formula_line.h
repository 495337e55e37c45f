// What a formula of kernels (kernel_time.h) says over the sizes that it was fitted to: its points
// are not in the table, only their ranges and how far held-out ones lay off. Pure.
#pragma once

#include "sim/cost/refit/part_fit.h"

namespace quintet {

// Of a GEMM: products m = n = k; of attention: the forward pass of 32 heads of 128, causal, by
// length; of memory-bound kernels: by bytes, half of them read. Over the range that the table
// covers, else 64 to 16384, or 64 KiB to 4 GiB. Without a line for operations that only stand
// inside others (softmax and dropout).
PartFit formula_fit(const CostTable& table, const CostPart& part);

}  // namespace quintet
