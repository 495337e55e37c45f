// A library's attention in place of our own: cuDNN's.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kernels/attention.h"

namespace quintet::kernels::cuda {

// Calls that a library left to our own kernels, by the reason in words.
using Refusals = std::map<std::string, std::int64_t>;

class FusedAttention {
 public:
  FusedAttention() = default;
  FusedAttention(const FusedAttention&) = delete;
  FusedAttention& operator=(const FusedAttention&) = delete;
  virtual ~FusedAttention() = default;

  // False where it cannot, and then nothing was done.
  virtual bool forward(const AttentionForward&, const Stream&) = 0;
  virtual bool backward(const AttentionBackward&, const Stream&) = 0;
};

}  // namespace quintet::kernels::cuda
