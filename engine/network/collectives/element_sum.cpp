#include "engine/network/collectives/element_sum.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "engine/files/storage/half_floats.h"

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
  static float load(Bits bits) { return float_of_bf16(bits); }
  static Bits store(float value) { return bf16_of(value); }
};
struct Fp16 {
  using Bits = std::uint16_t;
  static float load(Bits bits) { return float_of_fp16(bits); }
  static Bits store(float value) { return fp16_of(value); }
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
    case Reduction::maximum:
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

}  // namespace quintet::engine
