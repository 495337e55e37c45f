#include "kernels/cuda/cudnn/attention_library.h"

#include <stdexcept>

namespace quintet::kernels::cuda {

AttentionLibrary::AttentionLibrary(const EnvironmentVariables& variables) {
  const std::string wanted = variables("QUINTET_ATTENTION").value_or("own");
  if (wanted != "own" && wanted != "cudnn")
    throw std::runtime_error("QUINTET_ATTENTION is \"" + wanted + "\"; accepted are own and cudnn");
  if (wanted == "cudnn") opened_ = open_cudnn_attention(variables);
}

std::string AttentionLibrary::in_words() const {
  const std::scoped_lock lock(mutex_);
  std::string words = opened_.in_words;
  for (const auto& [why, calls] : refusals_.calls())
    words += "; our own kernels for " + why + " (" + std::to_string(calls) + " calls)";
  return words;
}

std::unique_ptr<FusedAttention> AttentionLibrary::make_attention() {
  const std::scoped_lock lock(mutex_);
  if (!opened_.make) return nullptr;
  try {
    return opened_.make(refusals_);
  } catch (const std::runtime_error& refused) {
    opened_ = {std::string("our own kernels: ") + refused.what(), {}};
    return nullptr;
  }
}

}  // namespace quintet::kernels::cuda
