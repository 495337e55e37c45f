// Which function does which computation in which pass.
#pragma once

#include <variant>

#include "engine/operators/end_math.h"
#include "engine/operators/layer_math.h"

namespace quintet::engine {

using LayerFunction = void (*)(LayerMath&, const LayerPlace&);
using HeadFunction = void (*)(HeadMath&, const HeadPlace&);
using EmbeddingFunction = void (*)(EmbeddingMath&, const EmbeddingPlace&);
// None: the update's, which are the executor's, and what nothing here does.
using Function = std::variant<std::monostate, LayerFunction, HeadFunction, EmbeddingFunction>;

Function function_of(const Operator& work);

// What is done to gradients and weights between backward and the end of the step.
bool is_of_update(Computation computation);

}  // namespace quintet::engine
