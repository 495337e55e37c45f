// Attention on the tensor cores: bf16, head sizes up to 128 that are multiples of 8, rows on 16
// bytes, no dropout. Always the same bits: every sum is one warp's, in the order of the keys (of
// the query heads and queries). A row of the forward pass and a query's gradient do not depend on
// which other queries are there.
#pragma once

#include "kernels/cuda/attention/attention_layout.h"

namespace quintet::kernels::cuda {

bool tensor_cores_can(const AttentionForward&);
bool tensor_cores_can(const AttentionBackward&);

void attention_forward_on_tensor_cores(const AttentionForward&, const Stream&);
void attention_backward_on_tensor_cores(const AttentionBackward&, const Stream&);

}  // namespace quintet::kernels::cuda
