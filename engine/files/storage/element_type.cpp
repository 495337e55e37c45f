#include "engine/files/storage/element_type.h"

#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

namespace quintet {
namespace {

struct TypeRow {
  ElementType type;
  std::string_view name;
  std::size_t size;
};

// In the order of the enumeration.
constexpr std::array<TypeRow, 15> types{{
    {ElementType::boolean, "BOOL", 1},
    {ElementType::uint8, "U8", 1},
    {ElementType::int8, "I8", 1},
    {ElementType::fp8_e5m2, "F8_E5M2", 1},
    {ElementType::fp8_e4m3, "F8_E4M3", 1},
    {ElementType::int16, "I16", 2},
    {ElementType::uint16, "U16", 2},
    {ElementType::fp16, "F16", 2},
    {ElementType::bf16, "BF16", 2},
    {ElementType::int32, "I32", 4},
    {ElementType::uint32, "U32", 4},
    {ElementType::fp32, "F32", 4},
    {ElementType::fp64, "F64", 8},
    {ElementType::int64, "I64", 8},
    {ElementType::uint64, "U64", 8},
}};

const TypeRow& row_of(ElementType type) {
  const TypeRow& row = types[static_cast<std::size_t>(type)];
  assert(row.type == type);
  return row;
}

template <float (*convert)(std::uint16_t)>
void widen(std::span<const std::byte> bytes, std::span<float> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, bytes.data() + 2 * i, 2);
    numbers[i] = convert(bits);
  }
}

template <std::uint16_t (*convert)(float)>
void narrow(std::span<const float> numbers, std::span<std::byte> bytes) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint16_t bits = convert(numbers[i]);
    std::memcpy(bytes.data() + 2 * i, &bits, 2);
  }
}

}  // namespace

std::size_t size_of(ElementType type) {
  return row_of(type).size;
}

std::string_view name_of(ElementType type) {
  return row_of(type).name;
}

std::optional<ElementType> element_type_of(std::string_view name) {
  for (const TypeRow& row : types)
    if (row.name == name) return row.type;
  return std::nullopt;
}

bool holds_weights(ElementType type) {
  return type == ElementType::fp32 || type == ElementType::bf16 || type == ElementType::fp16;
}

void to_floats(ElementType type, std::span<const std::byte> bytes, std::span<float> numbers) {
  assert(bytes.size() == numbers.size() * size_of(type) && holds_weights(type));
  if (numbers.empty()) return;
  if (type == ElementType::bf16) return widen<float_of_bf16>(bytes, numbers);
  if (type == ElementType::fp16) return widen<float_of_fp16>(bytes, numbers);
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
}

void from_floats(std::span<const float> numbers, ElementType type, std::span<std::byte> bytes) {
  assert(bytes.size() == numbers.size() * size_of(type) && holds_weights(type));
  if (numbers.empty()) return;
  if (type == ElementType::bf16) return narrow<bf16_of>(numbers, bytes);
  if (type == ElementType::fp16) return narrow<fp16_of>(numbers, bytes);
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
}

float float_of_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

std::uint16_t bf16_of(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  // Rounding could carry a NaN's payload over into infinity.
  if (std::isnan(number)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

float float_of_fp16(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t exponent = bits >> 10 & 31u, fraction = bits & 0x3FFu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);
  if (exponent > 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float small = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -small : small;
}

std::uint16_t fp16_of(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const float size = std::fabs(number);
  const auto with_sign = [&](std::uint32_t rest) {
    return static_cast<std::uint16_t>(sign | rest);
  };
  if (std::isnan(number)) return with_sign(0x7E00 | (bits >> 13 & 0x1FF));
  if (size >= 65520.0f) return with_sign(0x7C00);  // above the largest, 65504, and its half step
  // Below 2^-14 the step is 2^-24: adding 0.5, whose step in fp32 is the same 2^-24, rounds to it.
  if (size < 0x1p-14f) return with_sign(std::bit_cast<std::uint32_t>(size + 0.5f) & 0x7FF);
  const std::uint32_t plain = bits & 0x7FFFFFFF;
  return with_sign((plain - (112u << 23) + 0xFFF + (plain >> 13 & 1)) >> 13);
}

}  // namespace quintet
