// Weights before the first step: those of engine/files/weights/initial_values.h, the same model in
// every layout.
#pragma once

#include <cstdint>

#include "engine/files/weights/box_source.h"

namespace quintet::engine {

struct Initialisation {
  std::uint64_t seed = 0;
  double deviation = initial_deviation;  // of all matrices; some families start some smaller
};

// Any box of any tensor by itself, whatever else the rank holds; never fails.
BoxSource initial_weights(const Initialisation& how);

}  // namespace quintet::engine
