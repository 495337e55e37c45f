// Whose attention a GPU's kernels use: our own, cuDNN's, or whichever is faster.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "kernels/cuda/cudnn/measured_attention.h"
#include "kernels/cuda/fused_attention.h"
#include "kernels/library_places.h"

namespace quintet::kernels::cuda {

struct OpenedAttention {
  std::string in_words = "our own kernels";
  // Empty: our own. What it makes counts there what it leaves to our own, and must not outlive it.
  std::function<std::unique_ptr<FusedAttention>(Refusals&)> make;
};

// By cudnn_attention.cpp, or by without_cudnn.cpp where the module was built without its header.
OpenedAttention open_cudnn_attention(const EnvironmentVariables& variables);

class AttentionLibrary {
 public:
  // QUINTET_ATTENTION: measured (the faster one per shape), own or cudnn. Without it, measured, but
  // own where QUINTET_MATRIX_PRODUCT asks for bits that repeat. Throws std::runtime_error on
  // another word.
  explicit AttentionLibrary(const EnvironmentVariables& variables);

  // nullptr: our own. The library outlives it. By any thread: ranks may share a device.
  std::unique_ptr<FusedAttention> make_attention();
  // With what was left to our own kernels so far, and why.
  std::string in_words() const;

 private:
  mutable std::mutex mutex_;
  OpenedAttention opened_;
  bool measures_ = false;
  Refusals refusals_;
  AttentionChoices choices_;
};

}  // namespace quintet::kernels::cuda
