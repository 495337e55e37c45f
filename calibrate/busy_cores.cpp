#include "calibrate/busy_cores.h"

#include "engine/executor/buffer.h"
#include "kernels/kernels.h"

namespace quintet::calibrate {
namespace {

using engine::Buffer;
using kernels::Index;

// Weights of 1 MB as in a small layer: caches that others use are missed. A product takes half a
// millisecond, so that seconds are told from each other.
constexpr Index rows = 128, columns = 512, depth = 512;

}  // namespace

BusyCores::BusyCores(int threads) {
  for (int number = 0; number < threads; ++number) threads_.emplace_back([this] { multiply(); });
}

BusyCores::~BusyCores() {
  over_ = true;
  for (std::thread& thread : threads_) thread.join();
}

void BusyCores::multiply() {
  const auto kernels = kernels::fast_kernels();
  const Buffer left(rows * depth, DataType::fp32), right(columns * depth, DataType::fp32);
  Buffer product(rows * columns, DataType::fp32);
  kernels::Gemm gemm;
  gemm.rows = rows;
  gemm.columns = columns;
  gemm.depth = depth;
  gemm.a = left.at();
  gemm.b = right.at();
  gemm.c = product.at();
  kernels::Stream stream;
  for (; !over_; ++products_) kernels->gemm(gemm, stream);
}

}  // namespace quintet::calibrate
