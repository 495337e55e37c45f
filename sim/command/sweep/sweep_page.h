// A sweep drawn: of each figure a line per value of the second field over the first's, or, where
// both have several values, a heat map; and the table. Pure.
#pragma once

#include <vector>

#include "sim/command/sweep/sweep_text.h"
#include "sim/picture/page.h"

namespace quintet {

// Of three fields or more: each combination of the others is a line.
std::vector<Picture> sweep_pictures(const Sweep& sweep);

Page sweep_page(const Sweep& sweep, Figure figure);

}  // namespace quintet
