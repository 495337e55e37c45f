// Samples dealt anew by length to the ranks that drew them together (arXiv 2402.02447): sorted, the
// longest first, they go out in rows of one per rank, every second row backwards:
//
//   lengths  9 8 7 6 5 4     rank 0: 9 4
//                            rank 1: 8 5
//                            rank 2: 7 6
//
// The simulator and the engine follow the same rule. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/samples/draw.h"

namespace quintet {

// Per rank: its samples, as indices, longest first. Of equal ones the first comes first.
std::vector<std::vector<std::size_t>> snaked(std::span<const int> lengths, std::size_t ranks);

// drawn[rank]; neighbours in groups of `group` deal among them, a last group with who is left.
std::vector<Lengths> presorted(const std::vector<Lengths>& drawn, int group);

}  // namespace quintet
