// Where values of a model's tensors come from: a seed, files, a checkpoint.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "engine/files/weights/parameter_list.h"
#include "sim/base/result.h"

namespace quintet {

// Fills in the elements of a box, which lies in the tensor, in row-major order. Several threads ask
// at once.
using BoxSource = std::function<std::optional<Error>(const ParameterTensor& tensor, const Box& box,
                                                     std::span<float> values)>;

}  // namespace quintet
