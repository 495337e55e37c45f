// NCCL Inspector's lines of JSON (github NVIDIA/nccl, plugins/profiler/inspector, output format
// v4.0): one collective or message of one rank a line. A trace per process, a stream per
// communicator.
//
// With the event trace (NCCL_INSPECTOR_DUMP_VERBOSE=1) instants are the kernel's, over all its
// channels, and the call is there as its launch. Without it only lengths are recorded, and when a
// line was written: a communication then ends when its line was written or the next of its
// communicator starts, whichever is first. `left_out` counts those.
//
// Inspector counts what a rank gives to an all-gather and gets of a reduce-scatter; sizes here are
// the full buffers. It counts each kind of a communicator by itself: `sequence` is number * kinds +
// kind, so that it tells the group's communications apart. Ranks: see traces/nccl/members.h.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/timeline/reading_progress.h"
#include "traces/trace/rank_trace.h"

namespace quintet {

bool is_nccl_inspector(std::string_view beginning);
// Its other output, for Prometheus: means over many calls, of which reading gives an error that
// says how to record single ones.
bool is_nccl_prometheus(std::string_view beginning);

Result<std::vector<RankTrace>> read_nccl_inspector(const std::filesystem::path& file,
                                                   const ReadingProgress& progress = {});
Result<std::vector<RankTrace>> parse_nccl_inspector(std::string_view text,
                                                    const std::string& where);

}  // namespace quintet
