// What NCCL's example profiler plugin writes (github NVIDIA/nccl, plugins/profiler/example,
// print_event.cc): Chrome's asynchronous events in pairs (ph "b" and "e"), parents round their
// children, in a list that is not closed. A file is of one communicator of one process.
//
// A collective's or message's instants are its kernels' where the file has them (category GPU, one
// a channel); else its own, from being enqueued to the end of its proxies' work, which `left_out`
// counts. Calls of the API are launches, groups are annotations; steps of proxies and networks are
// counted as left out. Instants count from when the plugin was loaded. Sizes and `sequence` as in
// traces/nccl/inspector.h; ranks: see traces/nccl/members.h.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/timeline/reading_progress.h"
#include "traces/trace/rank_trace.h"

namespace quintet {

bool is_nccl_profile(std::string_view beginning);

Result<std::vector<RankTrace>> read_nccl_profile(const std::filesystem::path& file,
                                                 const ReadingProgress& progress = {});
Result<std::vector<RankTrace>> parse_nccl_profile(std::string_view text, const std::string& where);

}  // namespace quintet
