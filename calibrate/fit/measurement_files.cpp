#include "calibrate/fit/measurement_files.h"

#include "sim/base/text_file.h"

namespace quintet::calibrate {
namespace {

// The first line that is not empty.
std::string first_line(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find('\n', begin) - begin);
}

bool is_nccl_tests_table(const std::string& text) {
  for (std::size_t at = text.find('#'); at != std::string::npos; at = text.find('#', at + 1)) {
    const std::size_t word = text.find_first_not_of(" \t", at + 1);
    if (word != std::string::npos && text.compare(word, 4, "size") == 0) return true;
  }
  return false;
}

}  // namespace

Result<Measurements> parse_measurements(const std::string& text, const std::string& file) {
  const std::string first = first_line(text);
  if (first.starts_with('{')) {
    if (first.find("\"coll_perf\"") != std::string::npos) return parse_inspector_lines(text, file);
    return parse_nccl_tests_json(text, file);
  }
  if (is_nccl_tests_table(text)) return parse_nccl_tests_text(text, file);
  // Prometheus' lines, name{label="value",...} number, have commas too.
  const bool labelled = first.find("=\"") != std::string::npos;
  if (first.find(',') != std::string::npos && !labelled) return parse_measurements_csv(text, file);
  return Error{file,
               "is no file of measurements that this reads: output of nccl-tests (text or "
               "JSON), lines of NCCL Inspector, or CSV with a header line"};
}

Result<Measurements> read_measurements(const std::filesystem::path& file) {
  const Result<std::string> text = read_text_file(file, Bytes{1e9});
  if (!text) return text.error();
  return parse_measurements(*text, file.string());
}

}  // namespace quintet::calibrate
