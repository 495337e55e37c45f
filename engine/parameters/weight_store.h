// The weights of one rank as its kernels read them, and the gradients they add to: one buffer of
// each per section, which may be away (weights put together for use only, gradients sent off).
#pragma once

#include <cassert>
#include <vector>

#include "engine/device/workplace.h"
#include "engine/parameters/parameter_layout.h"

namespace quintet::engine {

class WeightStore {
 public:
  WeightStore(const ParameterLayout& layout, DataType type, Workplace& place)
      : layout_(layout),
        place_(place),
        type_(type),
        weights_(layout.sections().size()),
        gradients_(layout.sections().size()) {}

  const ParameterLayout& layout() const { return layout_; }
  DataType type() const { return type_; }

  // No memory where the model has no such weight.
  kernels::ConstTensor weight(int section, Weight weight) const {
    const LocalTensor* const tensor = section_of(section).find(weight);
    if (!tensor) return {};
    assert(!weights_[index(section)].empty());
    return weights_[index(section)].at(tensor->offset);
  }
  // Zero before its first use in a step.
  float* gradient(int section, Weight weight) {
    const LocalTensor* const tensor = section_of(section).find(weight);
    return tensor ? gradients(section).floats(tensor->offset) : nullptr;
  }

  Buffer& weights(int section) {
    Buffer& buffer = weights_[index(section)];
    if (buffer.empty()) buffer = place_.make(section_of(section).count, type_);
    return buffer;
  }
  Buffer& gradients(int section) {
    Buffer& buffer = gradients_[index(section)];
    if (buffer.empty()) buffer = place_.zeroed(section_of(section).count, DataType::fp32);
    return buffer;
  }
  bool holds_gradients(int section) const { return !gradients_[index(section)].empty(); }
  void drop_weights(int section) { weights_[index(section)] = {}; }
  void drop_gradients(int section) { gradients_[index(section)] = {}; }

 private:
  static std::size_t index(int section) { return static_cast<std::size_t>(section); }
  const Section& section_of(int section) const { return layout_.sections()[index(section)]; }

  const ParameterLayout& layout_;
  Workplace& place_;
  DataType type_;
  std::vector<Buffer> weights_, gradients_;
};

}  // namespace quintet::engine
