// Results of MLPerf Training's BERT as published rows: what bert_mlperf_summary.csv tables. Pure.
//
// Both phases of the task have sequences of up to 512 tokens. The submitters' code (NVIDIA's, which
// the others run) trains without padding: sequences are sorted by length over all ranks and dealt
// to and fro; Samsung's draws by strata and deals inside each host (arXiv 2402.02447). A row
// becomes sequences of equal length with the tokens of the slowest rank (packed_batch.h), and its
// notes say what padding to 512 would be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/result.h"
#include "sim/validate/rows/packed_batch.h"
#include "sim/validate/rows/published_row.h"

namespace quintet {

// By the header.
bool is_mlperf_bert(const std::string& text);

enum class Input { packed, padded };

// Runs: bert_mlperf_runs.csv, whose times between two evaluations leave out the start of a run;
// without it a step is the whole run's share. Rows that do not say how many samples they trained
// have no step time. Errors name file, line and column.
struct MlperfBert {
  std::string summary, file;
  std::optional<std::string> runs;
  LengthHistogram lengths;
  Input input = Input::packed;
};
Result<std::vector<PublishedRow>> mlperf_bert_rows(const MlperfBert& given);

}  // namespace quintet
