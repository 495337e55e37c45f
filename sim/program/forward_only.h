// The part of a step that only asks for a loss: an evaluation is made of it.
#pragma once

#include "sim/program/program.h"

namespace quintet {

enum class ForwardOf { first_micro_batch, every_micro_batch };

// The program with all calls at their places, so that whoever knows a call by its number finds it;
// those that are not needed have an empty body. Kept: forward of the model's parts and messages of
// activations, gathers of weights that these wait for, and of the head's backward pass what finds
// the loss where the vocabulary is split over ranks (the kernel that makes the logits' gradient
// does). No gradient leaves and nothing is updated.
Program forward_only(const Program& program, ForwardOf which);

}  // namespace quintet
