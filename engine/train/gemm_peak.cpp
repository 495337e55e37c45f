#include "engine/train/gemm_peak.h"

#include <algorithm>
#include <chrono>

#include "engine/executor/buffer.h"

namespace quintet::engine {

namespace {

double rate_of(kernels::Kernels& kernels, DataType type, Index size, double within) {
  const Buffer left(size * size, type), right(size * size, type);
  Buffer product(size * size, type);
  kernels::Gemm gemm;
  gemm.rows = gemm.columns = gemm.depth = size;
  gemm.a = left.at();
  gemm.b = right.at();
  gemm.c = product.at();
  kernels::Stream stream;
  kernels.gemm(gemm, stream);  // builds what it builds the first time
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  double passed = 0, flops = 0;
  do {
    kernels.gemm(gemm, stream);
    flops +=
        2.0 * static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size);
    passed = std::chrono::duration<double>(Clock::now() - start).count();
  } while (passed < within);
  return flops / passed;
}

}  // namespace

FlopRate gemm_peak(kernels::Kernels& kernels, DataType type, Seconds within) {
  double best = 0;
  for (const Index size : {128, 256, 512})
    best = std::max(best, rate_of(kernels, type, size, within.value / 3));
  return FlopRate{best};
}

}  // namespace quintet::engine
