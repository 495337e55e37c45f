// The weights of one rank as its kernels read them, and the gradients they add to: one buffer of
// each per section, which may be away (weights put together for use only, gradients sent off).
// Gradients that stay all step lie in one piece, in the order of the flat elements.
#pragma once

#include <cassert>
#include <vector>

#include "engine/device/workplace.h"
#include "engine/parameters/parameter_layout.h"

namespace quintet::engine {

// Where the sums of gradients are.
enum class GradientHome {
  sections,  // where backward adds them up
  apart,     // one share per rank: backward's buffers are emptied whenever they are sent
};

class WeightStore {
 public:
  WeightStore(const ParameterLayout& layout, DataType type, GradientHome home, Workplace& place)
      : layout_(layout),
        place_(place),
        type_(type),
        weights_(layout.sections().size()),
        gradients_(layout.sections().size()) {
    if (home == GradientHome::apart) return;
    all_gradients_ = place.make(layout.count(), DataType::fp32);
    for (std::size_t number = 0; number < gradients_.size(); ++number) {
      const Section& section = layout.sections()[number];
      gradients_[number] = Buffer::part_of(all_gradients_, section.begin, section.count);
    }
  }
  WeightStore(const WeightStore&) = delete;
  WeightStore& operator=(const WeightStore&) = delete;

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
  // Of all sections in one piece; empty where they come and go.
  Buffer& all_gradients() { return all_gradients_; }
  // Flat elements of them, as gradients() would give each section's.
  Buffer gradients_between(Index begin, Index end) {
    for (std::size_t number = 0; number < gradients_.size(); ++number) {
      const Section& section = layout_.sections()[number];
      if (section.begin < end && begin < section.end()) gradients(static_cast<int>(number));
    }
    return Buffer::part_of(all_gradients_, begin, end - begin);
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
  Buffer all_gradients_;
  std::vector<Buffer> weights_, gradients_;
};

}  // namespace quintet::engine
