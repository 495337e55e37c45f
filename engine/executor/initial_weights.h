// Weights before the first step: a function of the seed, the whole tensor's name and the element's
// place in it, so that every layout starts with the same model.
// Normal with the given deviation, as GPT-2 (Radford et al. 2019): projections back into the
// residual stream by 1 / sqrt(2 layers) less; norms 1, biases and padding 0.
#pragma once

#include <cstdint>
#include <span>

#include "engine/executor/parameter_layout.h"

namespace quintet::engine {

struct Initialisation {
  std::uint64_t seed = 0;
  double deviation = 0.02;
  int layers = 1;  // of the whole model
};

// All elements of the section, in order.
void fill_initial(const Section& section, const Initialisation& how, std::span<float> values);

}  // namespace quintet::engine
