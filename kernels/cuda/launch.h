// Starts kernels on a stream.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/check.h"
#include "kernels/types.h"

namespace quintet::kernels::cuda {

struct Shape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;  // dynamic
};

inline cudaStream_t stream_of(const Stream& stream) {
  return static_cast<cudaStream_t>(stream.handle);
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const Shape& shape, const Stream& stream,
            Arguments&&... arguments) {
  constexpr std::size_t without_asking = 48 << 10;  // CUDA's guide, "shared memory"
  if (shape.shared_bytes > without_asking)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shape.shared_bytes)),
          "shared memory of a kernel");
  const cudaLaunchConfig_t config{shape.grid,        shape.block, shape.shared_bytes,
                                  stream_of(stream), nullptr,     0};
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...),
        "start of a kernel");
}

inline unsigned blocks_for(Index count, Index per_block) {
  return static_cast<unsigned>((count + per_block - 1) / per_block);
}

}  // namespace quintet::kernels::cuda
