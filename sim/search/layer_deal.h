// Layers that do not divide evenly over the pieces of a pipeline. Pure.
#pragma once

#include <vector>

namespace quintet {

// Parallelism::stage_layers for so many pieces, of which none is without a layer: each has as many
// as the others or one fewer. The last, the first, the last but one, ... have fewer, since the ends
// also compute the embedding and the head: so Llama 3 405B has its 126 layers on 16 stages (arXiv
// 2407.21783, section 3.3.2). Empty where they divide, or are fewer than pieces.
std::vector<int> dealt_layers(int layers, int pieces);

}  // namespace quintet
