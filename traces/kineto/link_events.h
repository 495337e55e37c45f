// What events say of each other, when all are there.
#pragma once

#include "traces/kineto/trace_parts.h"

namespace quintet::kineto {

// Correlations of what has none, by arrows.
void link_by_arrows(TraceParts& parts);

// Launches by what they launched, waits by what is recorded of them, and what is known of
// collectives that their kernels do not tell.
void link_events(TraceParts& parts);

// PyTorch's execution traces know operations by "Record function id": where each operation has one,
// it takes the place of the "External id", of operations and of what they asked for.
void number_by_records(TraceParts& parts);

// Of kernels that tell nothing (`launches`: each one's, -1: not known): what the operation or the
// range tells in which they were launched.
void tell_communications(TraceParts& parts, const std::vector<std::int32_t>& launches);

}  // namespace quintet::kineto
