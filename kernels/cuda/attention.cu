#include "kernels/attention.h"

#include <cassert>

#include "kernels/cuda/attention_rows.h"
#include "kernels/cuda/cuda_kernels.h"

namespace quintet::kernels::cuda {

void CudaKernels::attention_forward(const AttentionForward& a, Stream& stream) {
  assert(a.shape.head_size <= attention_head_limit);
  attention_forward_by_rows(a, stream);
}

void CudaKernels::attention_backward(const AttentionBackward& a, Stream& stream) {
  assert(a.shape.head_size <= attention_head_limit);
  attention_backward_by_rows(a, stream);
}

}  // namespace quintet::kernels::cuda
