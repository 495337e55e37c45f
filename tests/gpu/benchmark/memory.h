// A benchmark's memory on the GPU, full of random numbers: products of zeros run faster.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/device.h"

namespace quintet::gpu_tests {

class Memory {
 public:
  explicit Memory(kernels::Device& device) : device_(device), stream_(device.make_stream()) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  // Normal random numbers.
  kernels::Bfloat16* bfloat16s(kernels::Index count);
  float* floats(kernels::Index count);
  float* positive_floats(kernels::Index count);
  // From 0 to end - 1 at random.
  std::int32_t* integers(kernels::Index count, std::int32_t end);
  std::int32_t* integers(const std::vector<std::int32_t>& values);
  float* number(float value);
  double* doubles(kernels::Index count);  // ones

 private:
  void* take(std::size_t bytes);
  template <class Value>
  Value* filled(kernels::Index count, const std::vector<Value>& block);

  kernels::Device& device_;
  kernels::Stream stream_;
  std::vector<void*> taken_;
};

}  // namespace quintet::gpu_tests
