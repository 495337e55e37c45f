// cuDNN's plans for attention, one per shape and pass, made when first asked for.
#pragma once

#include <map>

#include "kernels/cuda/cudnn/attention_graph.h"
#include "kernels/cuda/cudnn/cudnn_plan.h"

namespace quintet::kernels::cuda {

class CudnnAttentionPlans {
 public:
  // What the target names outlives this.
  CudnnAttentionPlans(const CudnnFunctions& cudnn, CudnnTarget target)
      : cudnn_(cudnn), target_(target) {}

  // nullptr: our own kernels must do it, and why_not() says why.
  const CudnnPlan* forward(const AttentionForward&);
  const CudnnPlan* backward(const AttentionBackward&);

  // This is the reason why the last call that gave nullptr did so.
  const std::string& why_not() const { return why_not_; }

 private:
  using Made = std::variant<CudnnPlan, std::string>;
  using Cache = std::map<EvenAttention, Made>;

  const CudnnPlan* planned(const EvenOrWhyNot& shape, Cache& cache,
                           OperatorGraph (*graph)(const EvenAttention&));

  const CudnnFunctions& cudnn_;
  CudnnTarget target_;
  Cache forward_, backward_;
  std::string why_not_;
};

}  // namespace quintet::kernels::cuda
