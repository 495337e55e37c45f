// Nsight Systems' SQLite export (`nsys export --type sqlite`): kernels, copies, fills, calls of the
// runtime and the driver, waits, NVTX ranges, and what NCCL says in its NVTX domain. One file may
// hold several processes: each is a RankTrace, in order of their ids.
//
// Facts from NVIDIA's "SQLite Export Schema Reference" (docs.nvidia.com, nsight-systems), by which
// tables are there only if something is in them, and columns depend on the version: what is absent
// is taken as not recorded. Of tables that are met and not read, the rows are counted as left out.
// Ranks of the job are known where MPI's are in the file, or by traces/nccl/members.h; else -1.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/timeline/reading_progress.h"
#include "traces/trace/rank_trace.h"

namespace quintet {

// It is an SQLite database; whose, only reading it tells.
bool is_nsight(std::string_view beginning);

// Errors: no such file, no database, a damaged one, one of another program, a table without a
// column that it had in every version, a value of another type. The file is only read, nothing is
// put beside it. Memory: 48 bytes an event and the names that events have.
Result<std::vector<RankTrace>> read_nsight(const std::filesystem::path& file,
                                           const ReadingProgress& progress = {});
// Of a database in memory.
Result<std::vector<RankTrace>> parse_nsight(std::span<const char> bytes, const std::string& where,
                                            const ReadingProgress& progress = {});

}  // namespace quintet
