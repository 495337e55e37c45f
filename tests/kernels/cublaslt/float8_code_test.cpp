// Our codes against the conversions that come with CUDA (cuda_fp8.h, on the host).
#include <cuda_fp8.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/float8_code.h"

namespace quintet::kernels {
namespace {

constexpr Float8Form forms[] = {Float8Form::e4m3, Float8Form::e5m2};

__nv_fp8_interpretation_t of_cuda(Float8Form form) {
  return form == Float8Form::e4m3 ? __NV_E4M3 : __NV_E5M2;
}

// All signs, exponents and 15 bits of fraction, with the rest of the fraction below, at and above
// what could break a tie.
TEST(Float8Codes, AreThoseOfCudasConversion) {
  for (const Float8Form form : forms)
    for (std::uint32_t upper = 0; upper < 1U << 24; ++upper) {
      const std::uint32_t bits = upper << 8 | (upper % 3 == 0 ? 0U : upper % 3 == 1 ? 1U : 0xFFU);
      const auto value = __builtin_bit_cast(float, bits);
      const std::uint8_t code = float8_of(form, bits);
      if (std::isnan(value)) {
        ASSERT_EQ(code & 0x7F, 0x7F);
        continue;
      }
      ASSERT_EQ(code, __nv_cvt_float_to_fp8(value, __NV_SATFINITE, of_cuda(form))) << value;
    }
}

TEST(Float8Codes, HaveTheValuesThatCudaGivesThem) {
  for (const Float8Form form : forms)
    for (unsigned code = 0; code < 256; ++code) {
      const auto bits = float8_bits(form, static_cast<std::uint8_t>(code));
      const __half half(
          __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(code), of_cuda(form)));
      const auto ours = __builtin_bit_cast(float, bits);
      const float theirs = __half2float(half);
      if (std::isnan(theirs))
        EXPECT_TRUE(std::isnan(ours)) << code;
      else
        EXPECT_EQ(bits, __builtin_bit_cast(std::uint32_t, theirs)) << code;
    }
}

}  // namespace
}  // namespace quintet::kernels
