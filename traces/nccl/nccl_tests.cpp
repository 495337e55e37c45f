#include "traces/nccl/nccl_tests.h"

#include <algorithm>

namespace quintet {
namespace {

// "#  Rank  0 Group  0 Pid 6899 on host" and "#       size         count      type".
bool is_text(std::string_view text) {
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    const std::size_t word = text.find_first_not_of("# \t", at);
    if (word == std::string_view::npos) return false;
    const std::string_view rest = text.substr(word);
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.starts_with("nccl-tests version") || line.starts_with("nThread ")) return true;
    if (line.starts_with("size ") && line.find("count") != std::string_view::npos) return true;
  }
  return false;
}

bool is_json(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && text[begin] == '{' &&
         text.find("\"nccl_version\"") != std::string_view::npos &&
         text.find("\"traceEvents\"") == std::string_view::npos;
}

}  // namespace

bool is_nccl_tests(std::string_view beginning) {
  // Kineto names NCCL's version too, deep inside distributedInfo; nccl-tests' keys come first.
  return is_text(beginning) ||
         (is_json(beginning) && (beginning.find("\"args\"") < beginning.find("\"nccl_version\"")) &&
          beginning.find("_perf") != std::string_view::npos);
}

}  // namespace quintet
