#include "engine/files/weights/slices.h"

#include <algorithm>
#include <cassert>

namespace quintet {
namespace {

template <class Number>
std::span<Number> values_of(const Slice& slice, std::span<Number> values) {
  return values.subspan(static_cast<std::size_t>(slice.at),
                        static_cast<std::size_t>(elements(slice.box.shape)));
}

}  // namespace

void take_from(const TensorValues& tensors, const Parameter& parameter, std::span<float> values) {
  assert(static_cast<std::int64_t>(values.size()) == elements(parameter.shape));
  std::fill(values.begin(), values.end(), 0.0f);
  for (const Slice& slice : parameter.slices)
    copy_part(slice.box, whole(slice.tensor.shape),
              std::as_bytes(std::span(tensors.at(slice.tensor.name))), slice.box,
              std::as_writable_bytes(values_of(slice, values)), sizeof(float));
}

void put_into(TensorValues& tensors, const Parameter& parameter, std::span<const float> values) {
  assert(static_cast<std::int64_t>(values.size()) == elements(parameter.shape));
  for (const Slice& slice : parameter.slices) {
    std::vector<float>& tensor = tensors[slice.tensor.name];
    tensor.resize(static_cast<std::size_t>(elements(slice.tensor.shape)));
    copy_part(slice.box, slice.box, std::as_bytes(values_of(slice, values)),
              whole(slice.tensor.shape), std::as_writable_bytes(std::span(tensor)), sizeof(float));
  }
}

std::vector<RangePart> parts_of_range(const Parameter& parameter, std::int64_t first,
                                      std::int64_t last) {
  assert(0 <= first && first <= last && last <= elements(parameter.shape));
  std::vector<RangePart> parts;
  for (const Slice& slice : parameter.slices) {
    const std::int64_t from = std::max(first, slice.at);
    const std::int64_t to = std::min(last, slice.at + elements(slice.box.shape));
    if (from >= to) continue;
    std::int64_t at = from - first;
    for (Box& box : boxes_of_range(slice.box, from - slice.at, to - slice.at)) {
      const std::int64_t size = elements(box.shape);
      parts.push_back({slice.tensor, std::move(box), at, slice.holding});
      at += size;
    }
  }
  return parts;
}

}  // namespace quintet
