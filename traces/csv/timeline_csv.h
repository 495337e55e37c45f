// A timeline as a table, for spreadsheets and notebooks: a line per span, comma-separated after RFC
// 4180 but for line ends, which are "\n".
//
//   rank, host, stage, lane, name, kind, phase, axis, bytes, layer, micro_batch, bucket,
//   start_us, moving_us, end_us
//
// Instants are microseconds with 6 decimals: exactly the picoseconds. Cells of what does not apply
// are empty: the phase of what is no compute, the axis of what does not communicate, a layer,
// micro-batch or bucket that there is none of, 0 bytes. A track that stands for several ranks has
// lines of the one shown.
#pragma once

#include <iosfwd>

#include "sim/timeline/timeline.h"

namespace quintet {

// Errors of the stream are left in its state.
void write_timeline_csv(std::ostream& out, const Timeline& timeline);

}  // namespace quintet
