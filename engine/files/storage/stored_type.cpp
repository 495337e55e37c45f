#include "engine/files/storage/stored_type.h"

#include <array>
#include <cassert>
#include <cstring>

#include "engine/files/storage/half_floats.h"

namespace quintet {
namespace {

struct TypeRow {
  StoredType type;
  std::string_view name;
  std::size_t size;
};

// In the order of the enumeration.
constexpr std::array<TypeRow, 15> types{{
    {StoredType::boolean, "BOOL", 1},
    {StoredType::uint8, "U8", 1},
    {StoredType::int8, "I8", 1},
    {StoredType::fp8_e5m2, "F8_E5M2", 1},
    {StoredType::fp8_e4m3, "F8_E4M3", 1},
    {StoredType::int16, "I16", 2},
    {StoredType::uint16, "U16", 2},
    {StoredType::fp16, "F16", 2},
    {StoredType::bf16, "BF16", 2},
    {StoredType::int32, "I32", 4},
    {StoredType::uint32, "U32", 4},
    {StoredType::fp32, "F32", 4},
    {StoredType::fp64, "F64", 8},
    {StoredType::int64, "I64", 8},
    {StoredType::uint64, "U64", 8},
}};

const TypeRow& row_of(StoredType type) {
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

std::size_t size_of(StoredType type) {
  return row_of(type).size;
}

std::string_view name_of(StoredType type) {
  return row_of(type).name;
}

std::optional<StoredType> stored_type_of(std::string_view name) {
  for (const TypeRow& row : types)
    if (row.name == name) return row.type;
  return std::nullopt;
}

bool holds_weights(StoredType type) {
  return type == StoredType::fp32 || type == StoredType::bf16 || type == StoredType::fp16;
}

void to_floats(StoredType type, std::span<const std::byte> bytes, std::span<float> numbers) {
  assert(bytes.size() == numbers.size() * size_of(type) && holds_weights(type));
  if (numbers.empty()) return;
  if (type == StoredType::bf16) return widen<float_of_bf16>(bytes, numbers);
  if (type == StoredType::fp16) return widen<float_of_fp16>(bytes, numbers);
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
}

void from_floats(std::span<const float> numbers, StoredType type, std::span<std::byte> bytes) {
  assert(bytes.size() == numbers.size() * size_of(type) && holds_weights(type));
  if (numbers.empty()) return;
  if (type == StoredType::bf16) return narrow<bf16_of>(numbers, bytes);
  if (type == StoredType::fp16) return narrow<fp16_of>(numbers, bytes);
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
}

}  // namespace quintet
