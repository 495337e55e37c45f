// Traces of Perfetto (ui.perfetto.dev) in its own format, protobuf: read as what ranks did, and
// written from timelines. Facts from google/perfetto, protos/perfetto/trace.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/result.h"
#include "sim/timeline/reading_progress.h"
#include "sim/timeline/timeline.h"
#include "traces/trace/rank_trace.h"

namespace quintet {

// Packets behind one another, each whole as far as it goes.
bool is_perfetto(std::string_view beginning);

// A process is a trace, of the rank that its name begins with ("rank 3"), else of unknown rank. Its
// threads and other tracks are rows: streams are those whose track or thread is called "stream 7"
// or "GPU ...", or lies below one called "GPU 0", or is described as a "GPU stream"; descriptors
// come before the events, as writers of Perfetto write them. Tracks of no process belong to the
// only one there is, or are a trace of their own.
//
// What events are, their categories say where they are Kineto's (kernel, gpu_memcpy, cpu_op ...),
// else what they lie on and are called. Debug annotations with Kineto's names are its facts:
// correlation, External id, bytes, "Collective name", dtype, "In msg nelems" ... Of sizes, `bytes`
// counts before what elements say. Flows from a thread to a stream are correlations where none is
// annotated. Instants are those of the trace's clock (boot time), moved to real time where a clock
// snapshot has both; clocks of a sequence are translated.
//
// Counters, instants, slices that do not end and packets of other kinds are counted as left out.
// Errors: packets that are cut off or no protobuf, a file without slices.
Result<std::vector<RankTrace>> read_perfetto(const std::filesystem::path& file,
                                             const ReadingProgress& progress = {});
Result<std::vector<RankTrace>> parse_perfetto(std::string_view bytes, const std::string& where);

// One process per track (rank), one thread per lane; spans of a lane that overlap get further
// threads ("compute (2)"), as the Chrome trace has them. Instants are whole nanoseconds from the
// step's beginning, rounded down (of what begins before it, a clock snapshot says how much all are
// later: the reader's zero_nanoseconds); exact picoseconds are in annotations ("start ps", "end
// ps"), and so is what the span's instruction is, under the Chrome trace's names. Flows lead from
// sends to their receives. Errors of the stream are left in its state.
void write_perfetto(std::ostream& out, const Timeline& timeline);

}  // namespace quintet
