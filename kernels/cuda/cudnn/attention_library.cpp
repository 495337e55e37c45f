#include "kernels/cuda/cudnn/attention_library.h"

#include <stdexcept>
#include <utility>

#include "kernels/cuda/attention/own_attention.h"
#include "kernels/cuda/cublaslt/cuda_bench.h"

namespace quintet::kernels::cuda {

namespace {

std::string unless_told(const EnvironmentVariables& variables) {
  const std::string products = variables("QUINTET_MATRIX_PRODUCT").value_or("measured");
  return products == "measured" ? "measured" : "own";
}

}  // namespace

AttentionLibrary::AttentionLibrary(const EnvironmentVariables& variables) {
  const std::string wanted = variables("QUINTET_ATTENTION").value_or(unless_told(variables));
  if (wanted != "own" && wanted != "cudnn" && wanted != "measured")
    throw std::runtime_error("QUINTET_ATTENTION is \"" + wanted +
                             "\"; accepted are measured, own and cudnn");
  if (wanted != "own") opened_ = open_cudnn_attention(variables);
  measures_ = wanted == "measured" && opened_.make;
  if (measures_)
    opened_.in_words = "the faster one of our own kernels and " + opened_.in_words + " by shape";
}

std::string AttentionLibrary::in_words() const {
  const std::scoped_lock lock(mutex_);
  std::string words = opened_.in_words + choices_.in_words();
  for (const auto& [why, calls] : refusals_.calls())
    words += "; our own kernels for " + why + " (" + std::to_string(calls) + " calls)";
  return words;
}

std::unique_ptr<FusedAttention> AttentionLibrary::make_attention() {
  const std::scoped_lock lock(mutex_);
  if (!opened_.make) return nullptr;
  try {
    std::unique_ptr<FusedAttention> library = opened_.make(refusals_);
    if (!measures_) return library;
    return std::make_unique<MeasuredAttention>(std::move(library), own_attention(), cuda_bench(),
                                               choices_);
  } catch (const std::runtime_error& refused) {
    opened_ = {std::string("our own kernels: ") + refused.what(), {}};
    return nullptr;
  }
}

}  // namespace quintet::kernels::cuda
