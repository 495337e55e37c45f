#include "kernels/cpu/targets.h"

#include <array>
#include <cassert>
#include <cstdlib>
#include <string_view>
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

namespace {

constexpr const char* limit_variable = "QUINTET_CPU_ISA";
constexpr std::array<std::string_view, 5> limit_words{"portable", "avx2", "avx512", "avx512_bf16",
                                                      "amx"};

}  // namespace

std::optional<CpuLimit> cpu_limit() {
  const char* const word = std::getenv(limit_variable);
  for (std::size_t number = 0; word != nullptr && number < limit_words.size(); ++number)
    if (limit_words[number] == word) return static_cast<CpuLimit>(number);
  return std::nullopt;
}

std::optional<std::string> wrong_cpu_limit() {
  const char* const word = std::getenv(limit_variable);
  if (word == nullptr || cpu_limit()) return std::nullopt;
  return std::string(limit_variable) + " is \"" + word +
         "\": one of portable, avx2, avx512, avx512_bf16, amx";
}

CpuTarget fastest_target() {
  const CpuLimit limit = cpu_limit().value_or(CpuLimit::amx);
  if (limit >= CpuLimit::avx512 && runs_here(CpuTarget::fused_avx512))
    return CpuTarget::fused_avx512;
  if (limit >= CpuLimit::avx2 && runs_here(CpuTarget::fused_avx2)) return CpuTarget::fused_avx2;
  return CpuTarget::portable;
}

std::unique_ptr<Kernels> reference_kernels() {
  // The same bits either way, the second in a fraction of the time.
  if (!runs_here(CpuTarget::exact_avx512)) return cpu_kernels(CpuTarget::portable);
  return cpu_kernels(CpuTarget::exact_avx512);
}

std::unique_ptr<Kernels> fast_kernels() {
  return cpu_kernels(fastest_target(), bf16_product());
}

}  // namespace quintet::kernels
