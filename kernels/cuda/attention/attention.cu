#include "kernels/attention.h"

#include <cassert>

#include "kernels/cuda/attention/attention_rows.h"
#include "kernels/cuda/attention/attention_tensor.h"
#include "kernels/cuda/attention/own_attention.h"
#include "kernels/cuda/cuda_kernels.h"
#include "kernels/cuda/tile/element.h"

namespace quintet::kernels::cuda {

namespace {

template <class... Matrices>
bool in_bfloat16_chunks(const AttentionLayout& given, const Matrices&... matrices) {
  constexpr Index chunk = pack_size<Bfloat16>, head_limit = 128;
  const AttentionLayout s = filled_in(given);
  return ((matrices.type == ElementType::bf16) && ...) &&
         on_16_bytes(static_cast<const char*>(matrices.data)...) && s.head_size <= head_limit &&
         s.head_size % chunk == 0 && s.query_stride % chunk == 0 && s.key_stride % chunk == 0 &&
         s.value_stride % chunk == 0 && s.output_stride % chunk == 0;
}

// The running maximum of scores needs a positive scale.
bool plain_softmax(const AttentionLayout& s) {
  return s.dropout.probability == 0.0F && s.scale > 0.0F &&
         (s.window == 0 || s.mask == AttentionMask::causal);
}

class OwnAttention : public FusedAttention {
 public:
  bool forward(const AttentionForward& a, const Stream& stream) override {
    if (tensor_cores_can(a))
      attention_forward_on_tensor_cores(a, stream);
    else
      attention_forward_by_rows(a, stream);
    return true;
  }
  bool backward(const AttentionBackward& a, const Stream& stream) override {
    if (tensor_cores_can(a))
      attention_backward_on_tensor_cores(a, stream);
    else
      attention_backward_by_rows(a, stream);
    return true;
  }
};

}  // namespace

std::unique_ptr<FusedAttention> own_attention() {
  return std::make_unique<OwnAttention>();
}

bool tensor_cores_can(const AttentionForward& a) {
  return plain_softmax(a.shape) && in_bfloat16_chunks(a.shape, a.query, a.key, a.value, a.output);
}

bool tensor_cores_can(const AttentionBackward& a) {
  return plain_softmax(a.shape) &&
         in_bfloat16_chunks(a.shape, a.query, a.key, a.value, a.output, a.output_gradient,
                            a.query_gradient, a.key_gradient, a.value_gradient);
}

void CudaKernels::attention_forward(const AttentionForward& a, Stream& stream) {
  assert(a.shape.head_size <= attention_head_limit);
  if (attention_ != nullptr && attention_->forward(a, stream)) return;
  OwnAttention().forward(a, stream);
}

void CudaKernels::attention_backward(const AttentionBackward& a, Stream& stream) {
  assert(a.shape.head_size <= attention_head_limit);
  if (attention_ != nullptr && attention_->backward(a, stream)) return;
  OwnAttention().backward(a, stream);
}

}  // namespace quintet::kernels::cuda
