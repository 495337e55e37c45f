// What stands still, in words. Inside the room only.
#pragma once

#include <string>
#include <vector>

#include "sim/program/program.h"
#include "sim/simulate/walk/world_change.h"

namespace quintet {

// "rank 0: send of activation, micro-batch 3, on its way since 12.3 ms"; those on their way first,
// then, in one phrase, how many ranks wait for others.
std::vector<std::string> standing_texts(const std::vector<StandingTask>& standing,
                                        const Program& program);

// When the first of what is on its way began; of all, where nothing is.
Instant first_standing(const std::vector<StandingTask>& standing);

}  // namespace quintet
