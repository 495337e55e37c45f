// The CPU's kernels by instruction set, for tests and benchmarks that want a certain one.
#pragma once

#include <memory>
#include <optional>
#include <string>

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

// The instruction sets that programs may use at most, by the environment's QUINTET_CPU_ISA, for
// comparisons on one machine: unset, all that the CPU has.
enum class CpuLimit { portable, avx2, avx512, avx512_bf16, amx };

// Nothing where the variable is unset, or is none of the words above.
std::optional<CpuLimit> cpu_limit();

// The fastest that runs here and is allowed.
CpuTarget fastest_target();

}  // namespace quintet::kernels
