// Parameters that several ranks hold whole while each knows a part of their gradient.
#pragma once

#include <vector>

#include "engine/parameters/flat_units.h"
#include "engine/parameters/parameter_layout.h"

namespace quintet::engine {

// Between tensor ranks (StageExchange::partial_gradients): under sequence parallelism all, else
// norms of single heads. Pooler and classifier get none.
std::vector<FlatRange> replicated_ranges(const ParameterLayout& layout, bool sequence_split);

// Between the first stage and the last: the embedding table that is the head's too.
std::vector<FlatRange> tied_ranges(const ParameterLayout& layout);

}  // namespace quintet::engine
