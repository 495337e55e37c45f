#include "kernels/cuda/cudnn/cudnn_attention_plans.h"

namespace quintet::kernels::cuda {

namespace {

// cudnn-frontend's release notes (1.16): up to 9.15.0 the gradients are wrong under graph replay
// where the keys of a sequence are no multiple of 128.
bool backward_is_sound(std::size_t version, const EvenOrWhyNot& shape) {
  const auto* const even = std::get_if<EvenAttention>(&shape);
  return version > 91500 || even == nullptr || even->keys % 128 == 0;
}

}  // namespace

const CudnnPlan* CudnnAttentionPlans::planned(const EvenOrWhyNot& shape, Cache& cache,
                                              OperatorGraph (*graph)(const EvenAttention&)) {
  const auto* const even = std::get_if<EvenAttention>(&shape);
  if (even == nullptr) {
    why_not_ = std::get<std::string>(shape);
    return nullptr;
  }
  auto found = cache.find(*even);
  if (found == cache.end())
    found = cache.emplace(*even, make_plan(cudnn_, target_, graph(*even))).first;
  if (const auto* const why = std::get_if<std::string>(&found->second)) {
    why_not_ = *why;
    return nullptr;
  }
  return std::get_if<CudnnPlan>(&found->second);
}

const CudnnPlan* CudnnAttentionPlans::forward(const AttentionForward& a) {
  return planned(even_attention(a), forward_, forward_graph);
}

const CudnnPlan* CudnnAttentionPlans::backward(const AttentionBackward& a) {
  EvenOrWhyNot shape = even_attention(a);
  if (!backward_is_sound(cudnn_.version(), shape))
    shape = "cuDNN " + std::to_string(cudnn_.version()) + ", which is wrong for these keys";
  return planned(shape, backward_, backward_graph);
}

}  // namespace quintet::kernels::cuda
