#include "calibrate/ranks/gpu_piece.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace quintet::calibrate {
namespace {

using kernels::ElementType;

std::size_t input_bytes(ComputeClass work, const GpuPieceSize& size) {
  return work == ComputeClass::product ? static_cast<std::size_t>(size.side * size.side) * 2
                                       : static_cast<std::size_t>(size.elements) * 4;
}

// Sums go into the right one.
std::size_t result_bytes(ComputeClass work, const GpuPieceSize& size) {
  return work == ComputeClass::product ? input_bytes(work, size) : 4;
}

// Values of either sign from 1 to 2, as bf16 and in the upper halves of fp32: products of zeros
// would draw less power than those of training.
void fill(const DeviceBlock& block, kernels::Device& device, const kernels::Stream& stream) {
  std::mt19937 random(1);
  std::vector<std::uint16_t> pattern(std::min<std::size_t>(block.bytes() / 2, 1 << 19));
  for (std::uint16_t& each : pattern) {
    const auto bits = static_cast<std::uint32_t>(random());
    each = static_cast<std::uint16_t>(0x3F80 | (bits & 0x7F) | (bits & 0x80) << 8);
  }
  for (std::size_t place = 0; place < block.bytes(); place += pattern.size() * 2)
    device.copy(block.at(place), pattern.data(),
                std::min(pattern.size() * 2, block.bytes() - place), stream);
}

}  // namespace

GpuPiece::GpuPiece(kernels::Device& device, ComputeClass work, const GpuPieceSize& size)
    : device_(device),
      class_(work),
      size_(size),
      kernels_(device.make_kernels()),
      left_(device, input_bytes(work, size)),
      right_(device, input_bytes(work, size)),
      result_(device, result_bytes(work, size)) {}

void GpuPiece::queue(kernels::Stream& stream) {
  if (!filled_) {
    fill(left_, device_, stream);
    fill(right_, device_, stream);
    filled_ = true;
  }
  switch (class_) {
    case ComputeClass::product: {
      kernels::Gemm gemm;
      gemm.rows = gemm.columns = gemm.depth = size_.side;
      gemm.a = {left_.at(), ElementType::bf16};
      gemm.b = {right_.at(), ElementType::bf16};
      gemm.c = {result_.at(), ElementType::bf16};
      kernels_->gemm(gemm, stream);
      return;
    }
    case ComputeClass::memory: {
      const auto from = static_cast<std::size_t>(place_) * 4;
      kernels::Accumulate sum;
      sum.count = size_.part;
      sum.addend = {left_.at(from), ElementType::fp32};
      sum.sum = static_cast<float*>(right_.at(from));
      kernels_->accumulate(sum, stream);
      place_ = (place_ + size_.part) % size_.elements;
      return;
    }
  }
}

}  // namespace quintet::calibrate
