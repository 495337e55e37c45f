#include "traces/json_stream/json_window.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace quintet::json_stream {
namespace {

// Fits the second-level cache of a core with what the parser notes of it.
constexpr std::size_t first_size = std::size_t{1} << 19;

}  // namespace

JsonWindow::JsonWindow(Read read, Progress progress, std::string where)
    : read_(std::move(read)),
      progress_(std::move(progress)),
      where_(std::move(where)),
      buffer_(1 + first_size + padding) {}

Result<bool> JsonWindow::more() {
  if (ended_) return false;
  const std::size_t kept = end_ - begin_;
  if (begin_ > 1) std::memmove(buffer_.data() + 1, buffer_.data() + begin_, kept);
  begin_ = 1;
  end_ = 1 + kept;
  // At least half of it is read anew: what is kept is moved once for each byte that comes.
  std::size_t size = buffer_.size() - 1 - padding;
  if (2 * kept > size) {
    if (size >= most)
      return error(
          fmt::format("an event or a value of more than {} MB, which no profiler writes: "
                      "the file is damaged or no trace",
                      most >> 21));
    size *= 2;
    buffer_.resize(1 + size + padding);
  }
  const auto count = read_(std::span(buffer_.data() + end_, size - kept));
  if (!count) return count.error();
  end_ += *count;
  ended_ = *count < size - kept;
  part_read_ = progress_();
  return *count > 0;
}

std::string JsonWindow::place(std::size_t ahead) const {
  return fmt::format("{}: byte {}", where_, offset_ + ahead);
}

Error JsonWindow::error(std::string what, std::size_t ahead) const {
  return {place(ahead), std::move(what)};
}

}  // namespace quintet::json_stream
