// From choices to a plan: what follows from them, and whether it can be. Pure.
#pragma once

#include <optional>
#include <vector>

#include "sim/model/model.h"
#include "sim/search/space.h"
#include "sim/topology/topology.h"

namespace quintet {

// Gives the draft a part's choices, as many replicas as fill the machine and micro-batches as make
// up the global batch. Decisions of the part that have no effect then are set as their rows say
// (SearchField::neutral).
// False: nothing comes of it, since degrees do not fill the machine, sequences cannot be dealt
// evenly, or a decision without effect is not its first choice, so that an earlier candidate is
// the same plan.
bool draft_part(const PartSpace& part, const ChoiceNumbers& digits, const Model& model,
                Draft& draft);

// What keeps a draft of layer 1 from being a plan, as problems() has it; layers 2 to 5 are judged
// by the others. Slots of the machine are not counted again.
bool layer1_can_be(const Draft& draft, const Model& model, const Topology& topology);
bool ccl_can_be(const Draft& draft, const Model& model, const Topology& topology);
bool intra_inter_can_be(const Draft& draft);
bool fabric_can_be(const Draft& draft, const Topology& topology);

// Parallelism::stage_layers for so many pieces, of which none is without a layer: each has as many
// as the others or one fewer. The last, the first, the last but one, ... have fewer, since the ends
// also compute the embedding and the head: so Llama 3 405B has its 126 layers on 16 stages (arXiv
// 2407.21783, section 3.3.2). Empty where they divide, or are fewer than pieces.
std::vector<int> dealt_layers(int layers, int pieces);

}  // namespace quintet
