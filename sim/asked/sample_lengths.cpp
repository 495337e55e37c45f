#include "sim/asked/sample_lengths.h"

#include "sim/base/text_file.h"
#include "sim/usage/shipped.h"

namespace quintet {

namespace {

// Empty: it does not lie there.
std::string beside(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path file = folder / name;
  std::error_code unreadable;
  if (folder.empty() || name.empty() || std::filesystem::path(name).is_absolute() ||
      !std::filesystem::is_regular_file(file, unreadable))
    return "";
  return std::filesystem::absolute(file, unreadable).lexically_normal().string();
}

}  // namespace

Result<Plan> with_lengths(Result<Plan> plan, const std::filesystem::path& folder) {
  if (!plan || !plan->parallelism.samples.vary()) return plan;
  Parallelism& parallelism = plan->parallelism;
  if (std::string found = beside(folder, parallelism.samples.lengths); !found.empty())
    parallelism.samples.lengths = std::move(found);
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
