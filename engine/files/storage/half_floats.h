// fp32 to and from the two 16-bit types, rounded to the nearest, ties to even. Without branches, so
// that compilers vectorise loops over it (kernels/cpu has the same in lanes).
#pragma once

#include <bit>
#include <cstdint>

namespace quintet {

inline float float_of_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

// Rounding could carry a NaN's payload over into infinity.
inline std::uint16_t bf16_of(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const std::uint32_t quiet_nan = (bits >> 16) | 0x40u;
  return static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet_nan : rounded);
}

// Exponents are moved by multiplication, denormals included
// (https://fgiesen.wordpress.com/2012/03/28/half-to-float-done-quic/).
inline float float_of_fp16(std::uint16_t bits) {
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fffu) << 13;
  const float moved = std::bit_cast<float>(magnitude) * 0x1p112f;
  const std::uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(moved) | special | sign);
}

inline std::uint16_t fp16_of(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  // Below 2^-14 the step is 2^-24: adding 0.5, whose step in fp32 is the same, rounds to it.
  const std::uint32_t small =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  const std::uint32_t finite = magnitude < 0x38800000u ? small : normal;
  const std::uint32_t quiet_nan = 0x7e00u | (magnitude >> 13 & 0x1ffu);
  const std::uint32_t beyond = magnitude > 0x7f800000u ? quiet_nan : 0x7c00u;
  // Above 65504, the largest, and its half step: 65520 = 0x477ff000.
  const std::uint32_t result = magnitude >= 0x477ff000u ? beyond : finite;
  return static_cast<std::uint16_t>(result | ((bits >> 16) & 0x8000u));
}

}  // namespace quintet
