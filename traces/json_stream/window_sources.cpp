#include "traces/json_stream/window_sources.h"

#include <algorithm>
#include <span>
#include <utility>

namespace quintet::json_stream {
namespace {

double told(const ReadingProgress& progress, std::size_t read, std::size_t of) {
  if (progress) progress(read, of);
  return of == 0 ? 1.0 : static_cast<double>(read) / static_cast<double>(of);
}

}  // namespace

JsonWindow window_on(ByteSource& source, const ReadingProgress& progress, std::string where) {
  return {[&source](std::span<char> into) { return source.read(into); },
          [&] { return told(progress, source.taken(), source.size()); }, std::move(where)};
}

JsonWindow window_on(std::string_view& text, const ReadingProgress& progress, std::string where) {
  return {
      [&text](std::span<char> into) -> Result<std::size_t> {
        const std::size_t count = std::min(into.size(), text.size());
        std::copy_n(text.data(), count, into.data());
        text.remove_prefix(count);
        return count;
      },
      [&text, &progress, size = text.size()] { return told(progress, size - text.size(), size); },
      std::move(where)};
}

}  // namespace quintet::json_stream
