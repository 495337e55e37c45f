// A workload's tasks as nodes of Chakra's, with what it has no place for.
#pragma once

#include <cstddef>
#include <ostream>

#include "traces/workload/workload.h"

namespace quintet::chakra {

// The file of one rank, whole. Errors of the stream are left in its state.
void write_rank(std::ostream& out, const Workload& workload, std::size_t rank);

}  // namespace quintet::chakra
