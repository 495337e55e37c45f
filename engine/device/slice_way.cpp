#include "engine/device/slice_way.h"

#include <cassert>
#include <stdexcept>

namespace quintet::engine {

SliceWay::SliceWay(Workplace& place, Index longest)
    : place_(place), values_(place.make(longest, DataType::fp32)) {
  if (!place.on_device()) return;
  staging_.emplace(*place.device());
  staging_->grow(static_cast<std::size_t>(longest) * sizeof(float));
}

// Pinned memory is given back behind the copies from it.
SliceWay::~SliceWay() {
  if (!staging_) return;
  try {
    place_.device()->synchronise(place_.stream());
  } catch (const std::runtime_error&) {
  }
}

std::span<float> SliceWay::room(Index count) {
  assert(count <= values_.count());
  count_ = count;
  const auto size = static_cast<std::size_t>(count);
  if (!staging_) return {values_.floats(), size};
  if (staging_->in_use()) place_.await(*staging_->in_use());
  return {static_cast<float*>(staging_->memory()), size};
}

Buffer& SliceWay::sent() {
  if (!staging_) return values_;
  place_.copy(values_.floats(), staging_->memory(),
              static_cast<std::size_t>(count_) * sizeof(float));
  staging_->used_on(place_.stream());
  return values_;
}

}  // namespace quintet::engine
