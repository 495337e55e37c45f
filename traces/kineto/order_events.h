// Events in the order that RankTrace promises, with little memory beside them.
#pragma once

#include "traces/trace/rank_trace.h"

namespace quintet::kineto {

// Rows: streams by device and number, then threads as they came. Events of a row mostly come in
// order: rows where they do are only looked through.
void order_rows_and_events(RankTrace& trace);

}  // namespace quintet::kineto
