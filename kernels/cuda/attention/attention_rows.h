// Attention row by row in fp32 arithmetic, a warp to a row: any type, head size, window and
// dropout. The tensor cores take what they can (attention.cu).
#pragma once

#include "kernels/attention.h"

namespace quintet::kernels::cuda {

void attention_forward_by_rows(const AttentionForward&, const Stream&);
void attention_backward_by_rows(const AttentionBackward&, const Stream&);

}  // namespace quintet::kernels::cuda
