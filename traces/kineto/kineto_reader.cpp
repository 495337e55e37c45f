#include "traces/kineto/kineto_reader.h"

#include <algorithm>
#include <array>

#include "sim/packing/byte_source.h"
#include "traces/kineto/whole_trace.h"

namespace quintet {
namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

double part(std::size_t read, std::size_t of) {
  return of == 0 ? 1.0 : static_cast<double>(read) / static_cast<double>(of);
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
  kineto::JsonWindow window([&](std::span<char> into) { return source->read(into); },
                            [&] {
                              if (progress) progress(source->taken(), source->size());
                              return part(source->taken(), source->size());
                            },
                            file.string());
  auto whole = kineto::read_whole(window);
  if (!whole) return whole.error();
  return std::move(whole->trace);
}

Result<RankTrace> parse_kineto(std::string_view text, const std::string& where,
                               const ReadingProgress& progress) {
  std::string_view rest = text;
  kineto::JsonWindow window(
      [&](std::span<char> into) -> Result<std::size_t> {
        const std::size_t count = std::min(into.size(), rest.size());
        std::copy_n(rest.data(), count, into.data());
        rest.remove_prefix(count);
        return count;
      },
      [&] {
        const std::size_t read = text.size() - rest.size();
        if (progress) progress(read, text.size());
        return part(read, text.size());
      },
      where);
  auto whole = kineto::read_whole(window);
  if (!whole) return whole.error();
  return std::move(whole->trace);
}

}  // namespace quintet
