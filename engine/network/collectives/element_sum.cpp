#include "engine/network/collectives/element_sum.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace quintet::engine {

namespace {

struct Sum {
  float operator()(float a, float b) const { return a + b; }
};
// A NaN on either side stays, as it does in a sum.
struct Max {
  float operator()(float a, float b) const { return a > b || a != a ? a : b; }
};

struct Fp32 {
  using Bits = std::uint32_t;
  static float load(Bits bits) { return std::bit_cast<float>(bits); }
  static Bits store(float value) { return std::bit_cast<Bits>(value); }
};
struct Bf16 {
  using Bits = std::uint16_t;
  static float load(Bits bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
  static Bits store(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const std::uint32_t quiet_nan = (bits >> 16) | 0x40u;
    return static_cast<Bits>((bits & 0x7fffffffu) > 0x7f800000u ? quiet_nan : rounded);
  }
};
// Without branches, so that compilers vectorise it: exponents are moved by multiplication
// (https://fgiesen.wordpress.com/2012/03/28/half-to-float-done-quic/).
struct Fp16 {
  using Bits = std::uint16_t;
  static float load(Bits bits) {
    const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fffu) << 13;
    const float moved = std::bit_cast<float>(magnitude) * 0x1p112f;
    const std::uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(moved) | special | sign);
  }
  static Bits store(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    // Normal: round the 13 bits that go. Small: adding 0.5 lets the adder round to multiples of
    // 2^-24.
    const std::uint32_t normal =
        (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    const std::uint32_t small =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
    const std::uint32_t finite = magnitude < 0x38800000u ? small : normal;
    const std::uint32_t beyond = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    const std::uint32_t result = magnitude >= 0x477ff000u ? beyond : finite;
    return static_cast<Bits>(result | ((bits >> 16) & 0x8000u));
  }
};

// Bytes may lie anywhere, so elements are copied in and out; compilers see through it.
template <class Type, class Combine>
void combine(std::span<std::byte> target, std::span<const std::byte> arrived, Combine combined) {
  using Bits = typename Type::Bits;
  std::byte* into = target.data();
  const std::byte* from = arrived.data();
  const std::size_t count = target.size() / sizeof(Bits);
  for (std::size_t i = 0; i < count; ++i) {
    Bits a, b;
    std::memcpy(&a, into + i * sizeof(Bits), sizeof(Bits));
    std::memcpy(&b, from + i * sizeof(Bits), sizeof(Bits));
    a = Type::store(combined(Type::load(a), Type::load(b)));
    std::memcpy(into + i * sizeof(Bits), &a, sizeof(Bits));
  }
}

template <class Type>
void combine_as(std::span<std::byte> target, std::span<const std::byte> arrived,
                Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return combine<Type>(target, arrived, Sum{});
    case Reduction::max:
      return combine<Type>(target, arrived, Max{});
  }
}

}  // namespace

Reducible reducible(DataType type) {
  const bool is = type == DataType::fp32 || type == DataType::bf16 || type == DataType::fp16;
  return is ? Reducible::yes : Reducible::no;
}

void reduce_into(std::span<std::byte> target, std::span<const std::byte> arrived, DataType type,
                 Reduction reduction) {
  assert(target.size() == arrived.size());
  switch (type) {
    case DataType::fp32:
      return combine_as<Fp32>(target, arrived, reduction);
    case DataType::bf16:
      return combine_as<Bf16>(target, arrived, reduction);
    case DataType::fp16:
      return combine_as<Fp16>(target, arrived, reduction);
    case DataType::tf32:
    case DataType::fp8:
    case DataType::int32:
    case DataType::int8:
      assert(reducible(type) == Reducible::yes);
      return;
  }
}

float float_of_bf16(std::uint16_t bits) {
  return Bf16::load(bits);
}
float float_of_fp16(std::uint16_t bits) {
  return Fp16::load(bits);
}
std::uint16_t bf16_of_float(float value) {
  return Bf16::store(value);
}
std::uint16_t fp16_of_float(float value) {
  return Fp16::store(value);
}

}  // namespace quintet::engine
