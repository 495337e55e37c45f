// Rows in the order of the table's row that each goes to, and among equals in their own: a stable
// radix sort of few digits (Satish, Harris and Garland, "Designing efficient sorting algorithms for
// manycore GPUs", IPDPS 2009). Whatever is summed along it has one order.
#pragma once

#include <cstdint>

#include "kernels/embedding.h"

namespace quintet::kernels::cuda {

// Key: a row of the table here; for other ranks' rows the table's size, which is behind all others.
struct SortedRows {
  const std::int32_t* keys = nullptr;
  const std::int32_t* rows = nullptr;
};

// Numbers, of which the result is a part; a multiple of 4.
Index sort_workspace(Index count);

SortedRows sort_rows(Index count, const VocabularyShard& shard, const std::int32_t* wanted,
                     std::int32_t* workspace, const Stream& stream);

}  // namespace quintet::kernels::cuda
