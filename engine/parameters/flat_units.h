// The program's ranges of a rank's flat elements (parameter_layout.h) that its script's calls send,
// gather or prepare, and those of parameters that several ranks hold whole.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/parameters/parameter_layout.h"
#include "sim/base/result.h"
#include "sim/program/program.h"

namespace quintet::engine {

using FlatRange = ElementRange;
using FlatUnit = std::vector<FlatRange>;  // ascending

// How many a unit has in all.
Index elements_of(const FlatUnit& unit);

// One iteration of one call.
using CallIteration = std::pair<int, int>;

// Where ranges that go together begin and end. An error where they are not the layout's.
Result<std::set<Index>> cuts_of(const Role& role, const ParameterLayout& layout);

// Buckets leave more than once a step: their sums are kept apart from what backward adds to.
bool leave_repeatedly(const Program& program, const Script& script);

// What a bucket's norm may be at most, as a share of the largest norm of all gradients: with B
// buckets on the model's ranks, clipped n times a step, 1 / (n sqrt(B)). Their sum then has no
// larger a norm than all may have (bucket-wise clipping, arXiv 2402.02447: B = 22, and 1 of all). A
// backward of one of n micro-batches gives 1 / n of its own mean gradient.
double clipped_share(const Program& program, const Script& script);

// Parameters that several ranks hold whole while each knows a part of their gradient. Between
// tensor ranks (StageExchange::partial_gradients): under sequence parallelism all, else norms of
// single heads. Pooler and classifier get none.
std::vector<FlatRange> replicated_ranges(const ParameterLayout& layout, bool sequence_split);

// The same between the first stage and the last: the embedding table that is the head's too.
std::vector<FlatRange> tied_ranges(const ParameterLayout& layout);

}  // namespace quintet::engine
