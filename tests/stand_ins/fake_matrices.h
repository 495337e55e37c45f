// Numbers of the stand-in's matrices, and what cuBLASLt's manual says of products and epilogues.
#pragma once

#include <library_types.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace quintet::kernels::cuda::fake {

inline float bfloat16(std::uint16_t bits) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
}

inline std::uint16_t to_bfloat16(float value) {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

// By the definition: sign, exponent, fraction; without NaN and infinity, which no test here
// multiplies.
inline double float8(cudaDataType_t type, std::uint8_t code) {
  const int fraction_bits = type == CUDA_R_8F_E4M3 ? 3 : 2, bias = type == CUDA_R_8F_E4M3 ? 7 : 15;
  const int exponent = (code & 0x7F) >> fraction_bits;
  const int fraction = code & ((1 << fraction_bits) - 1);
  const int whole = exponent > 0 ? 1 << fraction_bits : 0;
  const double size =
      std::ldexp(whole + fraction, (exponent > 0 ? exponent : 1) - bias - fraction_bits);
  return code >= 0x80 ? -size : size;
}

inline double read(cudaDataType_t type, const void* memory, std::size_t at) {
  const auto* const bytes = static_cast<const char*>(memory);
  if (type == CUDA_R_16BF) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes + 2 * at, sizeof bits);
    return static_cast<double>(bfloat16(bits));
  }
  if (type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2)
    return float8(type, static_cast<std::uint8_t>(bytes[at]));
  float value = 0;
  std::memcpy(&value, bytes + 4 * at, sizeof value);
  return static_cast<double>(value);
}

inline void write(cudaDataType_t type, void* memory, std::size_t at, double value) {
  auto* const bytes = static_cast<char*>(memory);
  const auto narrow = static_cast<float>(value);
  if (type == CUDA_R_16BF) {
    const std::uint16_t bits = to_bfloat16(narrow);
    std::memcpy(bytes + 2 * at, &bits, sizeof bits);
  } else {
    std::memcpy(bytes + 4 * at, &narrow, sizeof narrow);
  }
}

// The manual's note on its gelu.
inline double gelu_share(double x) {
  return 0.5 *
         (1.0 + std::tanh(std::sqrt(2.0 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}
inline double gelu(double x) {
  return x * gelu_share(x);
}
inline double gelu_slope(double x) {
  constexpr double step = 1e-5;
  return (gelu(x + step) - gelu(x - step)) / (2.0 * step);
}

}  // namespace quintet::kernels::cuda::fake
