// A cost table from other tools' measurements.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/measurements.h"
#include "sim/result.h"

namespace quintet::calibrate {

// One line of what was fitted, for people.
struct FitLine {
  std::string what;   // "GEMM fp16", "all_reduce, 8 ranks, 1 host: latency 12.3 us, 181 GB/s"
  std::string error;  // text_of(FitQuality); "not fitted: ..." where there was too little
  bool operator==(const FitLine&) const = default;
};

struct FittedTable {
  std::string text;  // the file
  std::vector<FitLine> lines;
  std::vector<std::string> kept;  // parts of the base table that nothing was measured for
};

// `base`: the text of a cost table of this card, or of one like it: its vendor's numbers and
// whatever was not measured stay, each with its source. Rows that name another GPU than the table
// does stay out (words in any order: "A100-80GB-SXM" is A100-SXM-80GB; a name may leave words out).
// GEMMs, attention and memory-bound kernels take the formulas' parameters of kernel_fits.h;
// collectives inside a host (send and receive left out: links have them) become curves. Every part
// that is new has its files, `when` (text), error, residuals and what it covers beside it. Sweeps
// across hosts are fitted and reported, but are no property of a card.
Result<FittedTable> fitted_table(const std::string& base, const std::string& base_file,
                                 const Measurements& measurements, const std::string& when);

// Whether a row of that GPU is about the table's.
bool is_same_gpu(const std::string& row, const std::string& table);

}  // namespace quintet::calibrate
