// A rank's whole parameter, in its order, out of a source of boxes; and a file's whole tensor.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "engine/files/weights/box_source.h"
#include "engine/files/weights/weight_files.h"

namespace quintet {

inline Result<std::vector<float>> values_of(const Parameter& parameter, const BoxSource& source) {
  std::vector<float> values(static_cast<std::size_t>(elements(parameter.shape)));
  for (const Slice& slice : parameter.slices) {
    const auto count = static_cast<std::size_t>(elements(slice.box.shape));
    const auto part = std::span(values).subspan(static_cast<std::size_t>(slice.at), count);
    std::fill(part.begin(), part.end(), -7.0F);
    if (auto wrong = source(slice.tensor, slice.box, part)) return *wrong;
  }
  return values;
}

inline std::vector<std::byte> tensor_content(const WeightFiles& files, std::string_view name) {
  const TensorEntry& tensor = files.tensor(name);
  std::vector<std::byte> bytes(tensor.end - tensor.begin);
  if (auto wrong = files.read(name, 0, bytes)) throw std::runtime_error(wrong->text());
  return bytes;
}

}  // namespace quintet
