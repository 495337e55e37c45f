#include "traces/kineto/kineto_reader.h"

#include <array>

#include "traces/json_stream/window_sources.h"
#include "traces/kineto/whole_trace.h"

namespace quintet {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

bool is_kineto(std::string_view beginning) {
  if (beginning.starts_with("\xEF\xBB\xBF")) beginning.remove_prefix(3);
  const std::size_t first = beginning.find_first_not_of(" \n\r\t");
  if (first == std::string_view::npos || has(beginning, "\"quintet")) return false;
  if (beginning[first] == '{') {
    constexpr std::array keys{"\"traceEvents\"",         "\"deviceProperties\"",
                              "\"distributedInfo\"",     "\"schemaVersion\"",
                              "\"baseTimeNanoseconds\"", "\"displayTimeUnit\""};
    for (const std::string_view key : keys)
      if (has(beginning, key)) return true;
  }
  // A list of events without an object around it.
  if (beginning[first] != '[' || !has(beginning, "\"ph\"")) return false;
  return has(beginning, "\"X\"") || has(beginning, "\"M\"");
}

Result<RankTrace> read_kineto(const std::filesystem::path& file, const ReadingProgress& progress) {
  auto source = ByteSource::open(file);
  if (!source) return source.error();
  json_stream::JsonWindow window = json_stream::window_on(*source, progress, file.string());
  auto whole = kineto::read_whole(window);
  if (!whole) return whole.error();
  return std::move(whole->trace);
}

Result<RankTrace> parse_kineto(std::string_view text, const std::string& where,
                               const ReadingProgress& progress) {
  json_stream::JsonWindow window = json_stream::window_on(text, progress, where);
  auto whole = kineto::read_whole(window);
  if (!whole) return whole.error();
  return std::move(whole->trace);
}

}  // namespace quintet
