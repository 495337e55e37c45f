// Attention by cuDNN on the GPU. Its sums over keys come in any order: the same bits twice only by
// chance, in the backward pass.
#pragma once

#include "kernels/cuda/cudnn/cudnn_attention_plans.h"
#include "kernels/cuda/fused_attention.h"
#include "kernels/cuda/scratch.h"

namespace quintet::kernels::cuda {

class CudnnAttention : public FusedAttention {
 public:
  // Throws CudnnError where cuDNN cannot use the GPU. Counts what it leaves to our own kernels.
  CudnnAttention(const CudnnFunctions& cudnn, Refusals& refusals);
  ~CudnnAttention() override;

  bool forward(const AttentionForward&, const Stream&) override;
  bool backward(const AttentionBackward&, const Stream&) override;

 private:
  struct Handle {
    explicit Handle(const CudnnFunctions& cudnn) {
      check(cudnn, cudnn.create_handle(&raw), "a handle");
    }
    cudnnHandle_t raw = nullptr;
  };

  const CudnnPlan* or_refuse(const CudnnPlan* plan);

  const CudnnFunctions& cudnn_;
  Refusals& refusals_;
  Handle handle_;
  CudnnAttentionPlans plans_;
  Scratch scratch_;
};

}  // namespace quintet::kernels::cuda
