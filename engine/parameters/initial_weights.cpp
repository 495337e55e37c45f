#include "engine/parameters/initial_weights.h"

#include "engine/files/weights/initial_values.h"

namespace quintet::engine {

BoxSource initial_weights(const Initialisation& how) {
  return [how](const ParameterTensor& tensor, const Box& box,
               std::span<float> values) -> std::optional<Error> {
    ParameterTensor scaled = tensor;
    scaled.deviation *= how.deviation / initial_deviation;
    initial_values(scaled, box, how.seed, values);
    return std::nullopt;
  };
}

}  // namespace quintet::engine
