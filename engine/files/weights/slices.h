// Between a rank's parameters and the model's tensors.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/files/weights/parameter_list.h"

namespace quintet {

using TensorValues = std::map<std::string, std::vector<float>>;  // whole tensors by name

// Elements of the parameter from the tensors, which hold all that it needs; padding becomes zero.
void take_from(const TensorValues& tensors, const Parameter& parameter, std::span<float> values);
// Elements of the parameter into the tensors; a tensor not there yet starts with zeros.
void put_into(TensorValues& tensors, const Parameter& parameter, std::span<const float> values);

// A part of a tensor and where it lies in the range it was asked for.
struct RangePart {
  ParameterTensor tensor;
  Box box;
  std::int64_t at = 0;  // elements from the beginning of the range
  Holding holding = Holding::first;
  bool operator==(const RangePart&) const = default;
};

// Elements first .. last - 1 of the flattened parameter, as parts of tensors: what a ZeRO rank
// holds. Padding is in none.
std::vector<RangePart> parts_of_range(const Parameter& parameter, std::int64_t first,
                                      std::int64_t last);

}  // namespace quintet
