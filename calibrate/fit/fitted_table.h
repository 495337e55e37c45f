// A cost table from other tools' measurements.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/measurements.h"
#include "sim/base/result.h"

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
  std::vector<std::string> kept;      // parts of the base table that nothing was measured for
  std::vector<std::string> left_out;  // measurements that nothing was made of, a sentence each
};

// `base`: the text of a cost table of this card, or of one like it: its vendor's numbers and
// whatever was not measured stay, each with its source. Rows that name another GPU than the table
// does stay out (own_rows.h).
// GEMMs, attention and memory-bound kernels take the formulas' parameters of kernel_fits.h;
// launches and gaps between queued kernels become medians;
// collectives inside a host (send and receive left out: links have them) become curves. Every part
// that is new has its files, `when` (text), error, residuals and what it covers beside it. Sweeps
// across hosts are fitted and reported, but are no property of a card.
Result<FittedTable> fitted_table(const std::string& base, const std::string& base_file,
                                 const Measurements& measurements, const std::string& when);

}  // namespace quintet::calibrate
