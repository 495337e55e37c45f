#include "sim/validate/rows/row_files.h"

#include <string>
#include <utility>

#include "sim/base/text_file.h"

namespace quintet {

namespace {

Result<std::vector<PublishedRow>> read_mlperf_bert(std::string summary,
                                                   const std::filesystem::path& file, Input input) {
  const std::filesystem::path counts = file.parent_path() / "bert_wikipedia_seqlen_histogram.csv";
  const Result<std::string> text = read_text_file(counts);
  if (!text) return text.error();
  Result<LengthHistogram> lengths = parse_length_histogram(*text, counts.string());
  if (!lengths) return lengths.error();
  MlperfBert given{std::move(summary), file.string(), std::nullopt, std::move(*lengths), input};
  if (Result<std::string> runs = read_text_file(file.parent_path() / "bert_mlperf_runs.csv"))
    given.runs = std::move(*runs);
  return mlperf_bert_rows(given);
}

}  // namespace

Result<std::vector<PublishedRow>> read_row_file(const std::filesystem::path& file, Input input) {
  Result<std::string> text = read_text_file(file);
  if (!text) return text.error();
  if (is_mlperf_bert(*text)) return read_mlperf_bert(std::move(*text), file, input);
  return parse_rows(*text, file.string());
}

}  // namespace quintet
