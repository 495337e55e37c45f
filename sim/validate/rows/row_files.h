// A file of published rows of either kind: steps (e2e_*.csv), or MLPerf's BERT results.
#pragma once

#include <filesystem>
#include <vector>

#include "sim/base/result.h"
#include "sim/validate/rows/mlperf_bert.h"
#include "sim/validate/rows/published_row.h"

namespace quintet {

// MLPerf's (bert_mlperf_summary.csv) need bert_wikipedia_seqlen_histogram.csv in the same folder,
// and take bert_mlperf_runs.csv if it is there.
Result<std::vector<PublishedRow>> read_row_file(const std::filesystem::path& file,
                                                Input input = Input::packed);

}  // namespace quintet
