#include "engine/parameters/float8_maxima.h"

#include <algorithm>
#include <cmath>

namespace quintet::engine {

namespace {

constexpr Index of_layer = layer_products * factors;

}  // namespace

Float8Maxima::Float8Maxima(const ParameterLayout& layout, const std::optional<Float8Recipe>& recipe,
                           Workplace& place)
    : place_(place) {
  if (!recipe || recipe->scaling != Float8Scaling::delayed) return;
  length_ = recipe->history;
  factor_ = std::ldexp(1.0F, recipe->margin);
  sections_ = static_cast<Index>(layout.sections().size());
  observed_ = place.zeroed(sections_ * of_layer, DataType::fp32);
  told_ = place.zeroed(sections_ * of_layer, DataType::fp32);
  history_ = place.zeroed(sections_ * of_layer * length_, DataType::fp32);
}

Index Float8Maxima::first_of(int section) const {
  return static_cast<Index>(section) * of_layer;
}

Index Float8Maxima::tensor_of(const FactorName& name) const {
  return first_of(name.section) + static_cast<Index>(name.product) * factors +
         static_cast<Index>(name.factor);
}

float* Float8Maxima::observed(const FactorName& name) {
  return length_ > 0 ? observed_.floats(tensor_of(name)) : nullptr;
}

const float* Float8Maxima::told(const FactorName& name) const {
  return length_ > 0 ? told_.floats(tensor_of(name)) : nullptr;
}

void Float8Maxima::end_step() {
  if (length_ == 0) return;
  place_.kernels().on_float8()->roll_maxima({sections_ * of_layer, length_, slot_, factor_,
                                             observed_.floats(), history_.floats(), told_.floats()},
                                            place_.stream());
  slot_ = (slot_ + 1) % length_;
}

void Float8Maxima::forget() {
  if (length_ == 0) return;
  for (Buffer* const each : {&observed_, &history_, &told_}) place_.zero(*each);
  slot_ = 0;
}

// The next slot to be written has the oldest.
std::vector<float> Float8Maxima::history(int section) {
  const Index first = first_of(section) * length_, count = of_layer * length_;
  std::vector<float> history = place_.fetched(history_.floats(first), count);
  for (auto from = history.begin(); from != history.end(); from += length_)
    std::rotate(from, from + slot_, from + length_);
  return history;
}

void Float8Maxima::set_history(int section, std::span<const float> history) {
  const Index first = first_of(section);
  std::vector<float> told;
  for (auto from = history.begin(); from != history.end(); from += length_)
    told.push_back(factor_ * *std::max_element(from, from + length_));
  std::vector<float> kept(history.begin(), history.end());
  for (auto from = kept.begin(); from != kept.end(); from += length_)
    std::rotate(from, from + (length_ - slot_) % length_, from + length_);
  place_.send(history_.floats(first * length_), kept.data(), kept.size() * sizeof(float));
  place_.send(told_.floats(first), told.data(), told.size() * sizeof(float));
}

}  // namespace quintet::engine
