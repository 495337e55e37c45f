// Weights before the first step: those of engine/files/weights/initial_values.h, the same model in
// every layout.
#pragma once

#include <cstdint>

#include "engine/parameters/parameter_layout.h"

namespace quintet::engine {

struct Initialisation {
  std::uint64_t seed = 0;
  double deviation = initial_deviation;  // of all matrices; some families start some smaller
};

// Fills any slice of any parameter by itself, whatever else the rank holds; never fails.
ParameterSource initial_weights(const Initialisation& how);

}  // namespace quintet::engine
