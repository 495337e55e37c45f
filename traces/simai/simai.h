// Workloads as text: SimAI's and ASTRA-sim's of before Chakra (a header, then a row per layer), and
// AICB's tables of collectives (aliyun/SimAI astra-sim/workload/Workload.cc, aliyun/aicb).
//
// The text tells what each GPU does: a row has the times (ns) of a layer's forward, input-gradient
// and weight-gradient passes, a collective after each, and the update's time after the last. In
// which order rows are walked and what waits for what is the header's policy's, as ASTRA-sim does
// it: HYBRID_TRANSFORMER forward through all rows, each waiting for its collective; back through
// all, input gradient, its collective, weight gradient, whose collective nobody waits for but the
// update. A gradient's collective with no weight-gradient collective has no update (so there).
//   - Without suffix a collective is over the tensor group (forward, input gradient) or the data
//     group (weight gradient); _EP: the experts' group; _DP_EP: the data group of an expert.
//     DATA, DLRM and MICRO know one group of all GPUs; so does MODEL.
//   - Sizes are of the whole buffer, as AICB's measured bandwidths have it.
//   - Ranks are numbered as Megatron does, tensor innermost, then experts, then data. All do the
//     same. Where a million tasks hold them all, all are there; else rank 0 is, and the others are
//     known as members of its groups (WorkloadGroup::members), so that collectives have their size.
//   - ga: AICB has written the rows of all micro-batches already; nothing is repeated here.
//   - pp, vpp: the rows are one stage's. That stage is read, of all_gpus / pp ranks; messages
//     between stages (pp_comm) and the bubble, which SimAI adds as a formula, are not in it.
//
// A table of AICB's has one rank's collectives, one after another, with what each took where that
// was measured; its last iteration that is whole is read. It has no computation.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim/base/result.h"
#include "sim/timeline/reading_progress.h"
#include "traces/workload/workload.h"

namespace quintet {

// Whether a file that begins so (1 KB suffices), unpacked, is such a text or table.
bool is_simai(std::string_view beginning);

// `gpus`: of the job, where the header does not say (no all_gpus); 0: one tensor group. Errors name
// the file, its line, and what is expected; files that belong to these programs but are no
// workloads are told apart.
Result<Workload> read_simai(const std::filesystem::path& file, int gpus = 0,
                            const ReadingProgress& progress = {});
Result<Workload> parse_simai(std::string_view text, const std::string& where, int gpus = 0);

}  // namespace quintet
