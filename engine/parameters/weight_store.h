// The weights of one rank as its kernels read them, and the gradients they add to: one buffer of
// each per section, which may be away (weights put together for use only, gradients sent off).
// Gradients that stay all step lie in one piece, in the order of the flat elements.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <string>
#include <vector>

#include "engine/device/workplace.h"
#include "engine/files/storage/hash64.h"
#include "engine/parameters/parameter_layout.h"

namespace quintet::engine {

// Where the sums of gradients are.
enum class GradientHome {
  sections,  // where backward adds them up
  apart,     // one share per rank: backward's buffers are emptied whenever they are sent
};

// A gradient, and what becomes of what lies there.
struct GradientPlace {
  float* data = nullptr;
  kernels::GradientWrite write = kernels::GradientWrite::accumulate;
};

class WeightStore {
 public:
  WeightStore(const ParameterLayout& layout, DataType type, GradientHome home, Workplace& place)
      : layout_(layout),
        place_(place),
        type_(type),
        weights_(layout.sections().size()),
        gradients_(layout.sections().size()),
        stale_(layout.sections().size()) {
    if (home == GradientHome::apart) {
      place.zeroed_for_sums(0, DataType::fp32, 0);
      return;
    }
    for (const Section& each : layout.sections())
      if (each.kind == SectionKind::layer) {
        lead_ = (aligned - each.begin % aligned) % aligned;
        break;
      }
    all_gradients_ = place.zeroed_for_sums(lead_ + layout.count(), DataType::fp32, layout_hash());
    for (std::size_t number = 0; number < gradients_.size(); ++number) {
      const Section& section = layout.sections()[number];
      gradients_[number] = Buffer::part_of(all_gradients_, lead_ + section.begin, section.count);
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
    if (!tensor) return nullptr;
    if (took_stale(section, weight)) zero(section, *tensor);
    return made_gradients(section).floats(tensor->offset);
  }
  // For a product that gives the whole tensor: the first of a step overwrites the last step's.
  GradientPlace whole_gradient(int section, Weight weight) {
    const LocalTensor* const tensor = section_of(section).find(weight);
    if (!tensor) return {};
    const bool overwrites = took_stale(section, weight);
    return {made_gradients(section).floats(tensor->offset),
            overwrites ? kernels::GradientWrite::overwrite : kernels::GradientWrite::accumulate};
  }

  Buffer& weights(int section) {
    Buffer& buffer = weights_[index(section)];
    if (buffer.empty()) buffer = place_.make(section_of(section).count, type_);
    return buffer;
  }
  Buffer& gradients(int section) {
    std::vector<Weight>& stale = stale_[index(section)];
    for (const Weight weight : stale) zero(section, *section_of(section).find(weight));
    stale.clear();
    return made_gradients(section);
  }
  // A step begins. On the processor itself matrices are cleared when somebody first asks for them:
  // that is a pass over memory less where a product overwrites them.
  void clear_gradients() {
    if (place_.on_device()) return place_.zero(all_gradients_);
    for (int section = 0; section < static_cast<int>(gradients_.size()); ++section) {
      std::vector<Weight>& stale = stale_[index(section)];
      stale.clear();
      for (const LocalTensor& tensor : section_of(section).tensors)
        if (tensor.matrix())
          stale.push_back(tensor.weight);
        else
          zero(section, tensor);
    }
  }
  // Flat elements of them, as gradients() would give each section's.
  Buffer gradients_between(Index begin, Index end) {
    for (std::size_t number = 0; number < gradients_.size(); ++number) {
      const Section& section = layout_.sections()[number];
      if (section.begin < end && begin < section.end()) gradients(static_cast<int>(number));
    }
    return Buffer::part_of(all_gradients_, lead_ + begin, end - begin);
  }
  bool holds_weights(int section) const { return !weights_[index(section)].empty(); }
  bool holds_gradients(int section) const { return !gradients_[index(section)].empty(); }
  void drop_weights(int section) { weights_[index(section)] = {}; }
  void drop_gradients(int section) {
    gradients_[index(section)] = {};
    stale_[index(section)].clear();
  }

 private:
  // Equal on ranks that have the same elements at the same places.
  std::uint64_t layout_hash() const {
    std::string text = std::to_string(lead_);
    for (const Section& section : layout_.sections())
      for (const LocalTensor& tensor : section.tensors)
        text += fmt::format(" {}:{}+{}", section.begin, tensor.offset, tensor.count());
    return hash64(text);
  }

  static constexpr Index aligned = 64;  // floats: 256 bytes
  static std::size_t index(int section) { return static_cast<std::size_t>(section); }
  const Section& section_of(int section) const { return layout_.sections()[index(section)]; }
  Buffer& made_gradients(int section) {
    Buffer& buffer = gradients_[index(section)];
    if (buffer.empty()) buffer = place_.zeroed(section_of(section).count, DataType::fp32);
    return buffer;
  }
  bool took_stale(int section, Weight weight) {
    return std::erase(stale_[index(section)], weight) > 0;
  }
  void zero(int section, const LocalTensor& tensor) {
    const auto bytes = made_gradients(section).bytes(tensor.offset, tensor.count());
    place_.zero(bytes.data(), bytes.size());
  }

  const ParameterLayout& layout_;
  Workplace& place_;
  DataType type_;
  Buffer all_gradients_;
  Index lead_ = 0;  // before the first, so that layers' gradients are aligned as products like them
  std::vector<Buffer> weights_, gradients_;
  std::vector<std::vector<Weight>> stale_;  // by section: what lies there is the last step's
};

}  // namespace quintet::engine
