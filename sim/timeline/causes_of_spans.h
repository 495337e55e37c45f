// What the program says of the order of a timeline's spans.
#pragma once

#include "sim/program/program.h"
#include "sim/timeline/timeline.h"

namespace quintet {

// The timeline, of this program, with Timeline::causes; sends and receives of which both ends are
// shown have the same flow. Unchanged where its spans are not just the program's tasks: where calls
// were left out of the step that is shown.
Timeline with_causes(Timeline timeline, const Program& program);

}  // namespace quintet
