// Timeline <-> Chrome Trace Event JSON in Kineto's dialect: opens in Perfetto and chrome://tracing.
// One process per track (rank), one thread per lane; flow arrows from send to receive; collective
// arguments under Kineto's key names. Times in microseconds with 6 decimals, exactly the integer
// picoseconds (pytorch/kineto libkineto/src/output_json.cpp).
//
// What a viewer needs to be right:
//   - Slices of one thread never overlap: spans of a lane that do overlap get further threads
//     ("compute (2)"). Perfetto drops or moves slices that overlap without nesting.
//   - Durations are written one picosecond short ("cut_ps" of the header): viewers that add ts
//     and dur in doubles would otherwise see slices overlap that only touch.
//   - Thread ids are unique in the file and differ from process ids: Perfetto's JSON importer names
//     threads by tid alone, and treats tid = pid as a main thread (google/perfetto,
//     src/trace_processor/importers/json/json_trace_parser_impl.cc).
//   - displayTimeUnit comes first: the same importer looks for it in the first chunk only.
// What the format has no place for (tracks, lanes, infos in their order, the end of the step, how
// it was measured) is in top-level keys that begin with "quintet", which viewers ignore. Names that
// are not UTF-8 are written with U+FFFD in place of the wrong bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>

#include "sim/base/result.h"
#include "sim/timeline/reading_progress.h"
#include "sim/timeline/timeline.h"

namespace quintet {

// Errors of the stream are left in its state.
void write_chrome_trace(std::ostream& out, const Timeline& timeline);
// Writes beside the target and renames, so that a killed run leaves no half file. A file that is
// there is replaced, a link to one keeps leading to it; a device or a pipe is written to. A name
// that ends in .gz or .zst gets it packed. Returns the path given.
Result<std::filesystem::path> write_chrome_trace(const std::filesystem::path& file,
                                                 const Timeline& timeline);
// Reads back what write_chrome_trace wrote, to an equal Timeline. Unknown keys, arguments and
// events are skipped. Unpacks what gzip or zstd packed. Refuses files above 2 GB, unpacked too.
Result<Timeline> read_chrome_trace(const std::filesystem::path& file,
                                   const ReadingProgress& progress = {});
Result<Timeline> parse_chrome_trace(const std::string& text, const std::string& where,
                                    const ReadingProgress& progress = {});

// A timeline small enough for a viewer: at most `spans` spans, but two tracks at least (one when
// there is one). Whole tracks are left out, evenly, never the first or last; equal to the input
// when all fit.
Timeline with_fewer_tracks(const Timeline& timeline, std::size_t spans);

}  // namespace quintet
