// What files may hold the elements of a tensor as, by the names that safetensors gives them
// (https://github.com/huggingface/safetensors, README "Format"): more than sim/base/data_type.h,
// which says what a step computes in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace quintet {

enum class StoredType {
  boolean,
  uint8,
  int8,
  fp8_e5m2,
  fp8_e4m3,
  int16,
  uint16,
  fp16,
  bf16,
  int32,
  uint32,
  fp32,
  fp64,
  int64,
  uint64
};

// Bytes of an element.
std::size_t size_of(StoredType type);
std::string_view name_of(StoredType type);  // "BF16"
// By the name that safetensors has; nothing for others.
std::optional<StoredType> stored_type_of(std::string_view name);

// fp32, bf16 and fp16: what weights are kept in.
bool holds_weights(StoredType type);

// `bytes` holds as many elements as `numbers`; `type` holds weights. To 16 bit: to the nearest,
// ties to even.
void to_floats(StoredType type, std::span<const std::byte> bytes, std::span<float> numbers);
void from_floats(std::span<const float> numbers, StoredType type, std::span<std::byte> bytes);

}  // namespace quintet
