// Adds what arrived to what lies there. 16-bit elements are added in fp32 and rounded once per
// addition, to nearest even; so a sum over n ranks has been rounded n - 1 times, as NCCL's.
#pragma once

#include <cstddef>
#include <span>

#include "sim/base/data_type.h"

namespace quintet::engine {

enum class Reduction { sum, maximum };

enum class Reducible { yes, no };
Reducible reducible(DataType type);  // fp32, bf16, fp16

// Both spans hold whole elements of a reducible type and are equally long.
void reduce_into(std::span<std::byte> target, std::span<const std::byte> arrived, DataType type,
                 Reduction reduction);

}  // namespace quintet::engine
