// Workloads as MLCommons' Chakra writes them, which ASTRA-sim and others read: a file of nodes per
// rank, <prefix>.<rank>.et, of messages that begin with their length
// (mlcommons/chakra schema/protobuf/et_def.proto; ASTRA-sim's reading of it:
// astra-sim/workload/Workload.cc and feeder_v3).
//
// Read are the files of Chakra's PyTorch converter and its generator, ASTRA-sim's own, ours, and
// the twin in JSON ("workload_graph"). Gzip and zstd are unpacked. What nodes mean here:
//   - A task may start when what its data_deps name has ended; lanes order nothing, as ASTRA-sim's
//     feeder issues whatever is free. ctrl_deps order too, but for files in which they name nodes
//     that are not there: old converters wrote the operation that called there, which may end
//     later.
//   - duration_micros is what a task takes; of what communicates, the least of those that take
//     part, who do not all wait. 0 of a node that says num_ops, or that communicates: not known.
//   - comm_size is what a rank puts in; an all-gather's is therefore times its group here.
//   - Collectives meet by group, kind and order of issue, messages by source, destination, tag and
//     order. Those without partner, and messages of converters that name no peer, stay as tasks of
//     the host that take what was recorded, and are counted in the remarks.
//   - No pg_name, or "0" where no file of groups has it: all ranks.
//   - is_cpu_op with a collective (c10d::allreduce_ of the converter) is the CPU's asking for it:
//     work of the host. Memory nodes are copies of tensor_size.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/timeline/reading_progress.h"
#include "traces/workload/workload.h"

namespace quintet {

// Whether a file that begins so (4 KB suffice), unpacked, is one of Chakra's.
bool is_chakra(std::string_view beginning);

// Files of ranks, files of process groups ({"1": [0, 1]}), a directory that holds them, or the
// prefix that they begin with. Errors name the file, the message or node in it, and the remedy: cut
// off or damaged messages, a node's id twice, dependencies on nodes that are not there or in a
// circle, ranks twice or, of files that Quintet wrote, missing.
Result<Workload> read_chakra(std::span<const std::filesystem::path> files,
                             const ReadingProgress& progress = {});

// The same of bytes in memory, unpacked; `where` is the file's name and tells the rank.
struct ChakraBytes {
  std::string where;
  std::string_view bytes;
};
Result<Workload> parse_chakra(std::span<const ChakraBytes> files);

// Writes <prefix>.<rank>.et per rank and <prefix>.groups.json, and returns their names. `after`
// becomes data_deps, the order of lanes (where they are in order) ctrl_deps; times are rounded to
// whole microseconds, but never down to none. What Chakra has no place for is in attributes that
// begin with "quintet_", which others ignore, so that reading them gives an equal workload.
// Groups are numbered from 1, as ASTRA-sim wants them. Fails where ranks have no number or the
// same.
Result<std::vector<std::filesystem::path>> write_chakra(const std::filesystem::path& prefix,
                                                        const Workload& workload);

}  // namespace quintet
