// Between fp32 and the 8-bit forms, on the bits of both; for CPUs and GPUs. Inlined always, so that
// no CPU target's copy is taken for all.
#pragma once

#include "kernels/float8.h"

namespace quintet::kernels {

struct Float8Layout {
  int fraction_bits;
  int bias;
  std::uint32_t largest_code;
};

[[gnu::always_inline]] constexpr Float8Layout layout_of(Float8Form form) {
  return form == Float8Form::e4m3 ? Float8Layout{3, 7, 0x7E} : Float8Layout{2, 15, 0x7B};
}

// `number` / 2^shift to the nearest integer, ties to even.
[[gnu::always_inline]] constexpr std::uint32_t shifted_to_nearest(std::uint32_t number, int shift) {
  const std::uint32_t odd = (number >> shift) & 1U;
  return (number + ((1U << (shift - 1)) - 1U) + odd) >> shift;
}

// `bits` are an fp32's. The code saturates; NaN is 0x7F with the sign.
[[gnu::always_inline]] constexpr std::uint8_t float8_of(Float8Form form, std::uint32_t bits) {
  const Float8Layout layout = layout_of(form);
  const std::uint32_t sign = bits >> 24 & 0x80U, magnitude = bits & 0x7FFFFFFFU;
  const int dropped = 23 - layout.fraction_bits;
  const auto exponent = static_cast<int>(magnitude >> 23);
  const int least_normal = 127 - layout.bias + 1;  // as an fp32's exponent
  std::uint32_t code = 0;
  if (exponent >= least_normal) {
    const auto rebias = static_cast<std::uint32_t>(127 - layout.bias) << layout.fraction_bits;
    code = shifted_to_nearest(magnitude, dropped) - rebias;
  } else if (const int shift = dropped + least_normal - exponent; shift <= 24) {
    code = shifted_to_nearest((magnitude & 0x7FFFFFU) | 0x800000U, shift);
  }
  if (code > layout.largest_code) code = layout.largest_code;
  if (magnitude > 0x7F800000U) code = 0x7F;
  return static_cast<std::uint8_t>(sign | code);
}

// The bits of the fp32 that has the code's value.
[[gnu::always_inline]] constexpr std::uint32_t float8_bits(Float8Form form, std::uint8_t code) {
  const Float8Layout layout = layout_of(form);
  const std::uint32_t sign = (code & 0x80U) << 24, magnitude = code & 0x7FU;
  const std::uint32_t exponent = magnitude >> layout.fraction_bits;
  const std::uint32_t fraction = magnitude & ((1U << layout.fraction_bits) - 1U);
  if (magnitude > layout.largest_code)  // infinity has no fraction
    return sign | 0x7F800000U | (form == Float8Form::e5m2 && fraction == 0 ? 0U : 0x400000U);
  if (exponent > 0)
    return sign | ((exponent + 127U - static_cast<std::uint32_t>(layout.bias)) << 23) |
           fraction << (23 - layout.fraction_bits);
  if (fraction == 0) return sign;
  const int top = fraction >= 4 ? 2 : (fraction >= 2 ? 1 : 0);  // its highest bit
  const auto of_top =
      static_cast<std::uint32_t>(127 + top + 1 - layout.bias - layout.fraction_bits);
  return sign | of_top << 23 | (fraction - (1U << top)) << (23 - top);
}

// The bits of the smallest power of two that `number` is no more than the largest code of; `number`
// is an fp32's bits, 2^-100 or more. Infinity and NaN stay what they are.
[[gnu::always_inline]] constexpr std::uint32_t power_of_two_scale(Float8Form form,
                                                                  std::uint32_t number) {
  if (number >= 0x7F800000U) return number;
  constexpr std::uint32_t three_quarters = 0x600000U;  // both forms' largest is 1.75 times 2^n
  const std::uint32_t n = form == Float8Form::e4m3 ? 8 : 15;
  const std::uint32_t above = (number & 0x7FFFFFU) > three_quarters ? 1 : 0;
  return ((number >> 23) + above - n) << 23;
}

}  // namespace quintet::kernels
