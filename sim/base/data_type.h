// Element types of tensors, and the ways a copy may go.
#pragma once

#include "sim/base/units.h"

namespace quintet {

enum class DataType { fp32, tf32, fp16, bf16, fp8, int32, int8 };

// Where the scales of numbers in fp8 come from.
enum class Float8Scaling {
  delayed,  // a tensor's, from the largest values of the steps before (arXiv 2209.05433)
  current,  // a tensor's, from its own largest value
  block,    // of 1 x 128 numbers, of weights 128 x 128 (DeepSeek-V3, arXiv 2412.19437, 3.3.2)
};

enum class CopyDirection { host_to_device, device_to_host, device_to_device };

constexpr Bytes size_of(DataType type) {
  switch (type) {
    case DataType::fp32:
    case DataType::tf32:
    case DataType::int32:
      return Bytes{4};
    case DataType::fp16:
    case DataType::bf16:
      return Bytes{2};
    case DataType::fp8:
    case DataType::int8:
      return Bytes{1};
  }
  return Bytes{};
}

}  // namespace quintet
