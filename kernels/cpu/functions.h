// Exponential, logarithm, logistic function and complementary error function, made here because
// the C library's bits differ from version to version and from CPU to CPU.
#pragma once

#include "kernels/cpu/lanes.h"

namespace quintet::kernels::QUINTET_CPU_TARGET {
namespace {

constexpr float lowest_exponent = -87.33654F;
constexpr float highest_exponent = 88.37626F;

// Polynomial and split of ln 2 of Cephes' expf (https://www.netlib.org/cephes/), error about 1 ulp;
// between the two exponents.
QUINTET_LANES Lanes exponential_between(Lanes bounded) {
  // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
  const Lanes magic = lanes(12582912.0F);
  const Lanes shifted = multiply_add(bounded, lanes(1.44269504088896341F), magic);
  const Lanes power = shifted - magic;
  Lanes rest = multiply_add(power, lanes(-0.693359375F), bounded);
  rest = multiply_add(power, lanes(2.12194440e-4F), rest);
  Lanes poly = lanes(1.9875691500e-4F);
  poly = multiply_add(poly, rest, lanes(1.3981999507e-3F));
  poly = multiply_add(poly, rest, lanes(8.3334519073e-3F));
  poly = multiply_add(poly, rest, lanes(4.1665795894e-2F));
  poly = multiply_add(poly, rest, lanes(1.6666665459e-1F));
  poly = multiply_add(poly, rest, lanes(5.0000001201e-1F));
  poly = multiply_add(poly, rest * rest, rest + 1.0F);
  const UnsignedLanes exponent = (bits_as<UnsignedLanes>(shifted) - 0x4B400000U + 127U) << 23;
  return poly * bits_as<Lanes>(exponent);
}

// Takes numbers up to 88.37: below -87.33 the result is 0 (no denormals); NaN stays NaN.
QUINTET_LANES Lanes exponential_below(Lanes x) {
  const auto vanishes = x < lanes(lowest_exponent);
  const Lanes bounded = select(vanishes, lanes(lowest_exponent), x);
  return select(vanishes, Lanes{}, exponential_between(bounded));
}

// Takes any number: above 88.37 the result is infinity.
QUINTET_LANES Lanes exponential(Lanes x) {
  const auto overflows = x > lanes(highest_exponent);
  const Lanes bounded = select(overflows, lanes(highest_exponent), x);
  return select(overflows, lanes(__builtin_inff()), exponential_below(bounded));
}

QUINTET_LANES Lanes logistic(Lanes x) {
  return 1.0F / (1.0F + exponential(-x));
}

// erfc for x >= 0, relative error 1.2e-7 (Numerical Recipes, 2nd edition, 6.2, erfcc).
QUINTET_LANES Lanes complementary_error(Lanes x) {
  const Lanes t = 1.0F / (1.0F + 0.5F * x);
  Lanes poly = lanes(0.17087277F);
  poly = multiply_add(poly, t, lanes(-0.82215223F));
  poly = multiply_add(poly, t, lanes(1.48851587F));
  poly = multiply_add(poly, t, lanes(-1.13520398F));
  poly = multiply_add(poly, t, lanes(0.27886807F));
  poly = multiply_add(poly, t, lanes(-0.18628806F));
  poly = multiply_add(poly, t, lanes(0.09678418F));
  poly = multiply_add(poly, t, lanes(0.37409196F));
  poly = multiply_add(poly, t, lanes(1.00002368F));
  poly = multiply_add(poly, t, lanes(-1.26551223F));
  return t * exponential(poly - x * x);
}

// `x` is a positive normal number, infinity or NaN. A number is 2^e m with m in [0.7, 1.4], and log
// m = 2 artanh((m - 1) / (m + 1)).
QUINTET_LANES double logarithm(double x) {
  if (!(x <= 0x1.fffffffffffffp1023)) return x;
  constexpr std::uint64_t fraction_of_half_root = 0x3FE6A09E667F3BCDULL;  // sqrt(1 / 2)
  const auto bits = __builtin_bit_cast(std::uint64_t, x);
  const auto exponent = static_cast<std::int64_t>(bits - fraction_of_half_root) >> 52;
  const auto mantissa =
      __builtin_bit_cast(double, bits - (static_cast<std::uint64_t>(exponent) << 52));
  const double s = (mantissa - 1.0) / (mantissa + 1.0);
  const double square = s * s;
  double series = 0.0;
  for (int odd = 23; odd >= 1; odd -= 2) series = series * square + 1.0 / odd;
  return static_cast<double>(exponent) * 0.693147180559945309417 + 2.0 * s * series;
}

}  // namespace
}  // namespace quintet::kernels::QUINTET_CPU_TARGET
