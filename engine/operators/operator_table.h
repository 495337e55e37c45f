// Which function does which operator of a program: by block, kind, phase and, for what a weight
// gradient adds up, product or bias.
#pragma once

#include "engine/operators/end_math.h"
#include "engine/operators/layer_math.h"
#include "sim/program/program.h"

namespace quintet::engine {

// Of a Compute instruction.
enum class Pass { forward, input_gradient, weight_gradient };
Pass pass_of(Phase phase);

using LayerFunction = void (*)(LayerMath&, const LayerPlace&);
using HeadFunction = void (*)(HeadMath&, const HeadPlace&);

// Nothing where no kernel does it. `occurrence`: as of head_function(); B has two of kind residual
// where there is dropout.
LayerFunction layer_function(Block block, const Operator& work, int occurrence, const Model& model);
// `occurrence`: how many of the same kind and shape stand before it in its body: BERT's head has
// two products.
HeadFunction head_function(const Operator& work, int occurrence, ModelFamily family);
bool embedding_does(const Operator& work);
bool update_does(const Operator& work);

// How many instructions before `place` in the body have its block, kind, phase and kind of shape.
int occurrence_of(const Body& body, std::size_t place);

}  // namespace quintet::engine
