#include "sim/asked/sample_lengths.h"

#include "sim/base/text_file.h"
#include "sim/usage/shipped.h"

namespace quintet {

Result<Plan> with_lengths(Result<Plan> plan) {
  if (!plan || !plan->parallelism.samples.vary()) return plan;
  Parallelism& parallelism = plan->parallelism;
  const Result<std::filesystem::path> file =
      find_file(FileKind::lengths, parallelism.samples.lengths);
  if (!file) return Error{"parallelism.samples.lengths", file.error().text()};
  const Result<std::string> text = read_text_file(*file);
  if (!text) return text.error();
  const Result<LengthHistogram> lengths = parse_length_histogram(*text, file->string());
  if (!lengths) return lengths.error();
  parallelism.samples.histogram = cut_to(*lengths, parallelism.sequence_length);
  return plan;
}

}  // namespace quintet
