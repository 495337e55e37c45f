// Files of other tools' measurements. Which tool's a file is, its content says:
//   nccl-tests' output as text (a table under "# size count type ..."; github NVIDIA/nccl-tests,
//     src/util.cu). Ranks and hosts are counted in its lines "#  Rank", the collective is what a
//     word "..._perf" in the text or in the file's name says. The out-of-place times.
//   nccl-tests' JSON (its -J option), likewise. Times by the CPU's clock (-C) are refused.
//   NCCL Inspector's JSON lines (github NVIDIA/nccl, plugins/profiler/inspector): one collective of
//     one rank a line. A rank that comes early waits inside the kernel; so of the ranks of one call
//     the shortest time is taken. It counts what one rank gives to an all-gather and gets of a
//     reduce-scatter: that times ranks is the size here.
//   CSV with a header line that names the columns; others than these are skipped:
//     bytes, time_us, collective, ranks [, nodes, gpu, system, interconnect, algo, protocol]
//     m, n, k, time_us, gpu, dtype [, library, groups]
//     pass, causal, batch, seq, heads, head_dim, tflops, gpu, dtype, kernel [, head_dim_v,
//       sliding_window]
//     op, rows, cols, pass, time_ms, gpu, dtype [, backend]
//     time_stats.KIND.median (ms), num_workers, devices_per_node, size   (Vidur; the slowest rank)
// Rows whose size or time is empty are skipped, and what the formulas do not know (grouped GEMMs,
// windows, other types). Anything else that is not as above is an error with its line.
#pragma once

#include <filesystem>
#include <string>

#include "calibrate/fit/measurements.h"
#include "sim/base/result.h"

namespace quintet::calibrate {

// `file` names the text in errors, and may name the collective (see above).
Result<Measurements> parse_measurements(const std::string& text, const std::string& file);
Result<Measurements> read_measurements(const std::filesystem::path& file);

// By its kind, for the above and for tests.
Result<Measurements> parse_nccl_tests_text(const std::string& text, const std::string& file);
Result<Measurements> parse_nccl_tests_json(const std::string& text, const std::string& file);
Result<Measurements> parse_inspector_lines(const std::string& text, const std::string& file);
Result<Measurements> parse_measurements_csv(const std::string& text, const std::string& file);

}  // namespace quintet::calibrate
