// The CPU's kernels by instruction set, for tests and benchmarks that want a certain one.
#pragma once

#include <memory>

#include "kernels/cpu/matrix_product.h"
#include "kernels/kernels.h"

namespace quintet::kernels {

enum class CpuTarget {
  portable,      // any CPU, no fused multiply-add
  exact_avx512,  // AVX-512 without fused multiply-add: the bits of portable
  fused_avx2,    // AVX2 and fused multiply-add
  fused_avx512,  // AVX-512: the bits of fused_avx2
};

bool runs_here(CpuTarget target);

// Fails an assertion where the CPU lacks the target. Without a product: our own.
std::unique_ptr<Kernels> cpu_kernels(CpuTarget target,
                                     std::unique_ptr<CpuMatrixProduct> product = nullptr);

// The fastest that runs here.
CpuTarget fastest_target();

}  // namespace quintet::kernels
