// A fixed piece of work on a GPU: what computing is while something else is measured beside it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "calibrate/ranks/device_block.h"
#include "kernels/device.h"
#include "sim/cost/communication_costs.h"

namespace quintet::calibrate {

// On an H100 a product of these bf16 matrices takes about 0.2 ms, a part of the sums 0.1 ms.
struct GpuPieceSize {
  kernels::Index side = 4096;  // of square matrices
  // fp32: more than caches hold, and what a piece adds of them.
  kernels::Index elements = 64 << 20, part = 16 << 20;
};

class GpuPiece {
 public:
  // The device must outlive it.
  GpuPiece(kernels::Device& device, ComputeClass work, const GpuPieceSize& size);

  // The first time waits for the device.
  void queue(kernels::Stream& stream);

 private:
  kernels::Device& device_;
  ComputeClass class_;
  GpuPieceSize size_;
  std::unique_ptr<kernels::Kernels> kernels_;
  DeviceBlock left_, right_, result_;
  kernels::Index place_ = 0;
  bool filled_ = false;
};

}  // namespace quintet::calibrate
