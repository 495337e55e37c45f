// Traces of PyTorch's profiler (Kineto): Chrome's Trace Event JSON of one rank, .json or packed by
// gzip or zstd, of all the dialects since 2021: times whole or with decimals, since 1970 or since
// "baseTimeNanoseconds", "distributedInfo" before or after the events or missing; CUDA and HIP.
// Other programs' files of that format are read as far as they have complete events (phase "X").
// Source: pytorch/kineto libkineto/src/output_json.cpp.
//
// Read in pieces: memory is that of the RankTrace, about 48 bytes an event, and a few MB.
//
// What is made of it beyond what stands in each event:
//   - A call's "cuda_sync" event is in the call's RecordedWait; one without a call is an event of
//     the row "GPU 0 synchronisations".
//   - A kernel that communicates has its facts from its own arguments, else from the
//     "record_param_comms" that asked for it, else from its name and the range "nccl:..." it was
//     launched in. A record_param_comms of "wait" asks for nothing and has no facts.
//   - TraceEvent::external is the "Record function id" where all operations have one, as execution
//     traces count, else the "External id".
//   - Arrows only link what no correlation links.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim/base/result.h"
#include "sim/timeline/reading_progress.h"
#include "traces/trace/rank_trace.h"

namespace quintet {

// By what the first 4 KiB of the file hold, unpacked. Timelines of this project are none.
bool is_kineto(std::string_view beginning);

// Fails where the file cannot be read, is no such trace or is cut off in the middle of an event:
// with the byte and the number of the event. A file that ends between two events, as killed
// profilers leave it, is read, and left_out says so.
Result<RankTrace> read_kineto(const std::filesystem::path& file,
                              const ReadingProgress& progress = {});
// From bytes that are there, not packed. `where` names them in errors.
Result<RankTrace> parse_kineto(std::string_view text, const std::string& where,
                               const ReadingProgress& progress = {});

}  // namespace quintet
