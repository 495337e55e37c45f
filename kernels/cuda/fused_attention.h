// A library's attention in place of our own: cuDNN's.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "kernels/attention.h"

namespace quintet::kernels::cuda {

// Calls that a library left to our own kernels, by the reason in words.
class Refusals {
 public:
  void add(const std::string& why) {
    const std::scoped_lock lock(mutex_);
    ++calls_[why];
  }
  std::map<std::string, std::int64_t> calls() const {
    const std::scoped_lock lock(mutex_);
    return calls_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::int64_t> calls_;  // by reason
};

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
