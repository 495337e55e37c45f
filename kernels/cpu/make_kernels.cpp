// Compiled once per target but without the target's instructions: it uses the standard library.
#include <utility>

#include "kernels/cpu/cpu_kernels.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {

CpuKernels::CpuKernels(std::unique_ptr<CpuMatrixProduct> product)
    : product_(std::move(product)), scratch_(std::make_unique_for_overwrite<ProductScratch>()) {}
CpuKernels::~CpuKernels() = default;

std::unique_ptr<Kernels> make_kernels(std::unique_ptr<CpuMatrixProduct> product);

std::unique_ptr<Kernels> make_kernels(std::unique_ptr<CpuMatrixProduct> product) {
  return std::make_unique<CpuKernels>(std::move(product));
}

}  // namespace quintet::kernels::QUINTET_CPU_TARGET
