#include "engine/parameters/initial_weights.h"

#include "engine/files/weights/initial_values.h"

namespace quintet::engine {

ParameterSource initial_weights(const Initialisation& how) {
  return [how](const Parameter& parameter, std::span<float> listed) -> std::optional<Error> {
    Parameter scaled = parameter;
    for (Slice& slice : scaled.slices) slice.tensor.deviation *= how.deviation / initial_deviation;
    initial_values(scaled, how.seed, listed);
    return std::nullopt;
  };
}

}  // namespace quintet::engine
