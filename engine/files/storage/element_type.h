// Element types of tensors in files, by the names that safetensors gives them
// (https://github.com/huggingface/safetensors, README "Format"). What the engine computes in is
// sim/base/data_type.h; files hold more kinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace quintet {

enum class ElementType {
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

std::size_t size_of(ElementType type);
std::string_view name_of(ElementType type);  // "BF16"
std::optional<ElementType> element_type_of(std::string_view name);

// fp32, bf16 and fp16: what weights are kept in.
bool holds_weights(ElementType type);

// `bytes` holds as many elements as `numbers`; `type` holds weights. To 16 bit: to the nearest,
// ties to even.
void to_floats(ElementType type, std::span<const std::byte> bytes, std::span<float> numbers);
void from_floats(std::span<const float> numbers, ElementType type, std::span<std::byte> bytes);

float float_of_bf16(std::uint16_t bits);
float float_of_fp16(std::uint16_t bits);
std::uint16_t bf16_of(float number);
std::uint16_t fp16_of(float number);

}  // namespace quintet
