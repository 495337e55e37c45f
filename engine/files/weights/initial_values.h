// Random weights to begin with: element i of a tensor depends on the seed, the tensor's name and i,
// so every layout begins with the same model.
#pragma once

#include <cstdint>
#include <span>

#include "engine/files/weights/parameter_list.h"

namespace quintet {

// Elements of the box in row-major order.
void initial_values(const ParameterTensor& tensor, const Box& box, std::uint64_t seed,
                    std::span<float> values);

}  // namespace quintet
