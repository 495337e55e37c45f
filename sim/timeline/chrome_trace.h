// Timeline <-> Chrome Trace Event JSON in Kineto's dialect: opens in Perfetto and chrome://tracing.
// One process per track (rank), one thread per lane; flow arrows from send to receive; collective
// arguments under Kineto's key names. Times in microseconds with 6 decimals. (Reference:
// gui_and_traces.md 3.1.)
#pragma once

#include <filesystem>
#include <iosfwd>

#include "sim/result.h"
#include "sim/timeline/timeline.h"

namespace quintet {

void write_chrome_trace(std::ostream& out, const Timeline& timeline);
// Writes beside the target and renames, so that a killed run leaves no half file.
Result<std::filesystem::path> write_chrome_trace(const std::filesystem::path& file,
                                                 const Timeline& timeline);
// Reads back what write_chrome_trace wrote.
Result<Timeline> read_chrome_trace(const std::filesystem::path& file);
Result<Timeline> parse_chrome_trace(const std::string& text, const std::string& where);

}  // namespace quintet
