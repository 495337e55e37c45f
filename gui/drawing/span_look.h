// How spans of a timeline look, on every page alike.
#pragma once

#include <vector>

#include "sim/picture/canvas.h"
#include "sim/timeline/timeline.h"

namespace quintet::gui {

Look look_of(const SpanInfo& info);
inline constexpr Look look_of_gap = Look::grey;  // where the host had launched nothing

struct LookMeaning {
  Look look;
  const char* name;
};
const std::vector<LookMeaning>& look_meanings();

}  // namespace quintet::gui
