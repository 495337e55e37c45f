#include "kernels/cpu/targets.h"

#include <cassert>
#include <utility>

namespace quintet::kernels {

namespace portable {
std::unique_ptr<Kernels> make_kernels(std::unique_ptr<CpuMatrixProduct> product);
}
#if defined(QUINTET_X86)
namespace exact_avx512 {
std::unique_ptr<Kernels> make_kernels(std::unique_ptr<CpuMatrixProduct> product);
}
namespace fused_avx2 {
std::unique_ptr<Kernels> make_kernels(std::unique_ptr<CpuMatrixProduct> product);
}
namespace fused_avx512 {
std::unique_ptr<Kernels> make_kernels(std::unique_ptr<CpuMatrixProduct> product);
}

namespace {

bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

}  // namespace

bool runs_here(CpuTarget target) {
  switch (target) {
    case CpuTarget::portable:
      return true;
    case CpuTarget::exact_avx512:
    case CpuTarget::fused_avx512:
      return has_avx512() && has_avx2();
    case CpuTarget::fused_avx2:
      return has_avx2();
  }
  return false;
}

std::unique_ptr<Kernels> cpu_kernels(CpuTarget target, std::unique_ptr<CpuMatrixProduct> product) {
  assert(runs_here(target));
  switch (target) {
    case CpuTarget::portable:
      return portable::make_kernels(std::move(product));
    case CpuTarget::exact_avx512:
      return exact_avx512::make_kernels(std::move(product));
    case CpuTarget::fused_avx2:
      return fused_avx2::make_kernels(std::move(product));
    case CpuTarget::fused_avx512:
      return fused_avx512::make_kernels(std::move(product));
  }
  return nullptr;
}
#else
bool runs_here(CpuTarget target) {
  return target == CpuTarget::portable;
}

std::unique_ptr<Kernels> cpu_kernels(CpuTarget target, std::unique_ptr<CpuMatrixProduct> product) {
  assert(runs_here(target));
  return portable::make_kernels(std::move(product));
}
#endif

CpuTarget fastest_target() {
  for (const CpuTarget target : {CpuTarget::fused_avx512, CpuTarget::fused_avx2})
    if (runs_here(target)) return target;
  return CpuTarget::portable;
}

std::unique_ptr<Kernels> reference_kernels() {
  // The same bits either way, the second in a fraction of the time.
  if (!runs_here(CpuTarget::exact_avx512)) return cpu_kernels(CpuTarget::portable);
  return cpu_kernels(CpuTarget::exact_avx512);
}

std::unique_ptr<Kernels> fast_kernels() {
  return cpu_kernels(fastest_target());
}

}  // namespace quintet::kernels
