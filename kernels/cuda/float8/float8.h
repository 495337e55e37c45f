// 8-bit codes in registers. On sm_89 and later fp32 is rounded by an instruction, elsewhere on its
// bits; both give the same codes, but for which of the NaNs.
#pragma once

#include <cuda_runtime.h>

#include <type_traits>

#include "kernels/float8_code.h"

namespace quintet::kernels::cuda {

template <Float8Form form>
__device__ inline float to_float(Float8 code) {
  return __uint_as_float(float8_bits(form, code.bits));
}

template <Float8Form form>
__device__ inline Float8 to_float8(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  std::uint16_t pair;
  if constexpr (form == Float8Form::e4m3)
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0F), "f"(value));
  else
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0F), "f"(value));
  return {static_cast<std::uint8_t>(pair)};
#else
  return {float8_of(form, __float_as_uint(value))};
#endif
}

template <class Work>
void with_float8(Float8Form form, Work work) {
  switch (form) {
    case Float8Form::e4m3:
      return work(std::integral_constant<Float8Form, Float8Form::e4m3>{});
    case Float8Form::e5m2:
      return work(std::integral_constant<Float8Form, Float8Form::e5m2>{});
  }
}

}  // namespace quintet::kernels::cuda
